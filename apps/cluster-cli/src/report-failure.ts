import { describeError } from '@drover/core/errors';
import { exitCodes } from './exit-codes.ts';
import type { Io } from './io.ts';

/** A mistake in what was typed that only the command itself can see. */
export class UsageError extends Error {}

/** One clear line on stderr, and the exit code that belongs to it. */
export function reportFailure(error: unknown, io: Io): number {
  if (isInterrupted(error)) {
    void io.stderr.write('cluster-cli: interrupted\n');
    return exitCodes.interrupted;
  }
  void io.stderr.write(`cluster-cli: ${oneLine(error)}\n`);
  return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
}

const isInterrupted = (error: unknown) => (error as { interrupted?: boolean })?.interrupted === true;

function oneLine(error: unknown): string {
  // By its members and not by its class: the error may come from another chunk with a class of its own.
  const { remedy } = error as { remedy?: string };
  const isOurs = error instanceof Error && 'remedy' in error;
  return `${isOurs ? error.message : describeError(error)}${remedy === undefined ? '' : `. To fix it: ${remedy}`}`.replace(
    /\s*\n\s*/g,
    ' ',
  );
}
