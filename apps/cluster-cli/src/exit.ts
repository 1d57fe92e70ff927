import { describeError } from '@drover/core/errors';
import type { Io } from './io.ts';

/** The exit codes of the command. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  timedOut: 4,
  stalled: 5,
  /** Ended by Ctrl-C, as shells count it. */
  interrupted: 130,
} as const;

/** A mistake in what was typed that only the command itself can see. */
export class UsageError extends Error {}

/** Ctrl-C, or the end of the terminal. */
export class Interrupted extends Error {
  readonly interrupted = true;

  constructor() {
    super('interrupted');
  }
}

/** Writes one line to stderr and returns the exit code that belongs to the error. */
export function reportFailure(error: unknown, io: Io): number {
  if (error instanceof Interrupted) {
    void io.stderr.write('cluster-cli: interrupted\n');
    return exitCodes.interrupted;
  }
  void io.stderr.write(`cluster-cli: ${oneLine(error)}\n`);
  return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
}

function oneLine(error: unknown): string {
  // By its members and not by its class: the error may come from a chunk of the bundle with a class of its own.
  const { remedy } = error as { remedy?: string };
  const isOurs = error instanceof Error && 'remedy' in error;
  return `${isOurs ? error.message : describeError(error)}${remedy === undefined ? '' : `. To fix it: ${remedy}`}`.replace(
    /\s*\n\s*/g,
    ' ',
  );
}
