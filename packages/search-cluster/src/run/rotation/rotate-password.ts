import type { Clock, Random } from '@drover/core';
import { decidePassword, type PasswordStep } from '../../decide/rotation/password.ts';
import { passwordIn, withPassword } from '../../model/secret-value.ts';
import type { SecretVersion, SecretVersions, UserPasswords } from '../../ports.ts';
import { newPassword } from '../passwords.ts';

export interface RotatePasswordRun {
  readonly clock: Clock;
  readonly random: Random;
  readonly secrets: SecretVersions;
  readonly users: UserPasswords;
  /** Undefined: never by itself. */
  readonly everyDays: number | undefined;
}

/** The steps in the words of the table that `settle` prints. */
const said: Readonly<Record<PasswordStep, string>> = {
  announce: 'announced',
  change: 'changed',
  promote: 'changed',
  none: 'unchanged',
};

/**
 * Replaces a password that is old enough, in steps a day apart. At every moment the current or the pending version lets
 * the user in; a run that dies is followed by one that goes on.
 */
export async function rotatePassword(run: RotatePasswordRun, username: string, secretId: string): Promise<string> {
  if (run.everyDays === undefined) return said.none;
  const current = await run.secrets.read(secretId, 'AWSCURRENT');
  if (current === undefined) return said.none;
  const pending = await run.secrets.read(secretId, 'AWSPENDING');
  const pendingLetsIn = pending !== undefined && (await run.users.letsIn(username, passwordIn(pending.value)));
  const { everyDays } = run;
  const step = decidePassword({ current, pending, pendingLetsIn, everyDays }, run.clock.now());
  await apply(run, step, { current, pending }, username, secretId);
  return said[step];
}

async function apply(
  { secrets, users, random }: RotatePasswordRun,
  step: PasswordStep,
  { current, pending }: { readonly current: SecretVersion; readonly pending: SecretVersion | undefined },
  username: string,
  secretId: string,
): Promise<void> {
  if (step === 'announce') return await secrets.putPending(secretId, withPassword(current.value, newPassword(random)));
  if (step === 'change') await users.change(username, passwordIn(pending!.value));
  if (step !== 'none') await secrets.promote(secretId, pending!, current);
}
