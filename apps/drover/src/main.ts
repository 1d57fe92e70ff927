import { exitCodes } from '@drover/operator/exit-codes';
import type { DroverIo } from '@drover/operator/io';
import { CommanderError } from 'commander';
import { explain } from './first-errors.ts';
import { buildProgram } from './program.ts';

/** Runs one command line; returns the exit code. */
export async function main(argv: readonly string[], io: DroverIo): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = buildProgram(io, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    io.stderr(`drover: ${explain(error)}\n`);
    return exitCodes.failed;
  }
}
