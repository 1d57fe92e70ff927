import { TerminalError } from '@drover/core';
import { passwordIn } from '../model/secret-value.ts';
import type { SecretVersions, UserPasswords } from '../ports.ts';

/**
 * Gives a built-in user the password of its secret. While a change of the password is under way the pending version may be
 * the one that works: then nothing is touched, and `passwd` finishes what it began.
 */
export async function ensurePassword(
  run: { readonly secrets: Pick<SecretVersions, 'read'>; readonly users: UserPasswords },
  username: string,
  secretId: string,
): Promise<'unchanged' | 'changing' | 'changed'> {
  const current = await run.secrets.read(secretId, 'AWSCURRENT');
  if (current === undefined)
    throw new TerminalError(`secret ${secretId} has no value for user ${username}`, {
      remedy: `give it one: cluster-cli passwd --username ${username}`,
    });
  if (await run.users.letsIn(username, passwordIn(current.value))) return 'unchanged';
  const pending = await run.secrets.read(secretId, 'AWSPENDING');
  if (pending !== undefined && (await run.users.letsIn(username, passwordIn(pending.value)))) return 'changing';
  await run.users.change(username, passwordIn(current.value));
  return 'changed';
}
