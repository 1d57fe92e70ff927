import { TerminalError } from '@drover/core';
import type { DroverIo } from '../io.ts';

/** Asks before something that cannot be undone. Without a terminal to ask on it needs `--yes`. */
export async function confirm(io: DroverIo, what: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (io.terminal?.ask === undefined)
    throw new TerminalError(`this would ${what}`, { remedy: 'say --yes: there is no terminal to ask on' });
  const answer = await io.terminal.ask(`This would ${what}. Continue? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  io.stderr('not confirmed: nothing was changed\n');
  return false;
}
