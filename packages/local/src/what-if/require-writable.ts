import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { TerminalError } from '@drover/core';

/** Whether a file can be written is found out before minutes of simulation, not after. */
export function requireWritable(file: string): void {
  try {
    accessSync(dirname(file), constants.W_OK);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder');
  } catch (error) {
    throw new TerminalError(`${file} cannot be written (${(error as Error).message})`);
  }
}
