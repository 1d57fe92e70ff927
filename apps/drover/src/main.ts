import { CommanderError } from 'commander';
import { explain } from './first-errors.ts';
import type { DroverIo } from './io.ts';
import { buildProgram } from './program.ts';

/** Runs one command line; returns the exit code. 0 done, 1 failed or something is wrong, 2 usage, 3 a part could not be read, 130 interrupted before it was done. */
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
