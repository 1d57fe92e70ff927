import { DroverError, describeError } from '@drover/core';
import { CommanderError } from 'commander';
import type { DroverIo } from './io.ts';
import { buildProgram } from './program.ts';

/** Runs one command line; returns the exit code. 0 done, 1 failed or something is wrong, 2 usage, 130 interrupted before it was done. */
export async function main(argv: readonly string[], io: DroverIo): Promise<number> {
  let exitCode = 0;
  const program = buildProgram(io, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    io.stderr(`drover: ${explain(error)}\n`);
    return 1;
  }
}

/** One line: what happened and what to do. */
function explain(error: unknown): string {
  const remedy = error instanceof DroverError && error.remedy !== undefined ? `; ${error.remedy}` : '';
  return `${describeError(error)}${remedy}`;
}
