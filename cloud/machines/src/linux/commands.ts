import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a program of this computer and returns what it printed; its error output becomes the error's message. */
export async function command(file: string, ...args: readonly string[]): Promise<string> {
  try {
    return (await execute(file, [...args], { maxBuffer: 16 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    throw new Error(`${file} ${args.join(' ')}: ${stderr.trim() || message}`);
  }
}
