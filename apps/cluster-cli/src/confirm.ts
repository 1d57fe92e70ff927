import type { Context } from './context.ts';
import { UsageError } from './report-failure.ts';

/** Asks before something that cannot be undone. Nobody is asked where nobody can answer: there it needs `--yes`. */
export async function confirm(context: Context, what: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!context.io.stdin.isTTY)
    throw new UsageError(`this would ${what}: say --yes, because there is no terminal to ask on`);
  const answer = await context.io.stdin.ask(`This would ${what}. Continue? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  context.log.error('not confirmed: nothing was changed');
  return false;
}
