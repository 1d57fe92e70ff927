import { type Random, TerminalError } from '@drover/core';
import { decidePasswd, type PasswdFacts, type PasswdStep } from '../decide/passwd.ts';
import { passwordIn, withPassword } from '../model/secret-value.ts';
import type { SecretVersions, StateObjects, UserPasswords } from '../ports.ts';

export interface ChangePasswordRun {
  readonly secrets: SecretVersions;
  readonly users: UserPasswords;
  readonly random: Random;
  onStep(step: PasswdStep): void;
}

/** Write, change, promote, and once again when another client was changing it at the same time. */
const stepLimit = 8;
const passwordLength = 32;
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/** Changes a user's password as a transaction on the secret's version stages; a run that died is resumed by the next. */
export async function changePassword(run: ChangePasswordRun, username: string, secretId: string): Promise<void> {
  const done = { changed: false, promoted: false };
  for (let count = 0; count < stepLimit; count++) {
    const facts = await gather(run, username, secretId, done);
    const step = decidePasswd(facts);
    run.onStep(step);
    if (step === 'done') return;
    await apply(run, step, facts, username, secretId);
    done.changed ||= step === 'change-in-elasticsearch';
    done.promoted ||= step === 'promote';
  }
  throw new TerminalError(`the password of ${username} did not settle after ${stepLimit} steps`, {
    remedy: 'another client may be changing it too: run the command again, it resumes',
  });
}

async function gather(
  run: ChangePasswordRun,
  username: string,
  secretId: string,
  done: Pick<PasswdFacts, 'changed' | 'promoted'>,
): Promise<PasswdFacts> {
  if (done.promoted) return { current: undefined, pending: undefined, pendingLetsIn: false, ...done };
  const current = await run.secrets.read(secretId, 'AWSCURRENT');
  const pending = await run.secrets.read(secretId, 'AWSPENDING');
  const pendingLetsIn = pending !== undefined && (await run.users.letsIn(username, passwordIn(pending.value)));
  return { current, pending, pendingLetsIn, ...done };
}

async function apply(
  run: ChangePasswordRun,
  step: Exclude<PasswdStep, 'done'>,
  { current, pending }: PasswdFacts,
  username: string,
  secretId: string,
): Promise<void> {
  switch (step) {
    case 'write-pending':
      return await run.secrets.putPending(secretId, withPassword(current?.value, newPassword(run.random)));
    case 'change-in-elasticsearch':
      return await run.users.change(username, passwordIn(pending!.value));
    case 'promote':
      return await run.secrets.promote(secretId, pending!, current);
  }
}

/** Another random password. */
export const newPassword = (random: Random) =>
  Array.from({ length: passwordLength }, () => random.pick([...alphabet])).join('');

/**
 * Gives a user the password of its secret; one that is not built in is made with its roles. While a change of the password is under way the pending version may be
 * the one that works: then nothing is touched, and `passwd` finishes what it began.
 */
export async function ensurePassword(
  run: { readonly secrets: Pick<SecretVersions, 'read'>; readonly users: UserPasswords },
  username: string,
  secretId: string,
  roles?: readonly string[],
): Promise<'unchanged' | 'changing' | 'changed'> {
  const current = await run.secrets.read(secretId, 'AWSCURRENT');
  if (current === undefined)
    throw new TerminalError(`secret ${secretId} has no value for user ${username}`, {
      remedy: `give it one: cluster-cli passwd --username ${username}`,
    });
  if (await run.users.letsIn(username, passwordIn(current.value))) return 'unchanged';
  const pending = await run.secrets.read(secretId, 'AWSPENDING');
  if (pending !== undefined && (await run.users.letsIn(username, passwordIn(pending.value)))) return 'changing';
  if (roles === undefined) await run.users.change(username, passwordIn(current.value));
  else await run.users.put(username, passwordIn(current.value), roles);
  return 'changed';
}

/**
 * Has Elasticsearch store the superuser's password once. Until then each node takes the one of its own keystore, which is the
 * secret's value of the day when the node was launched: after a change of the secret, old and new nodes would differ.
 */
export async function storeSuperuser(
  run: {
    readonly secrets: Pick<SecretVersions, 'read'>;
    readonly users: Pick<UserPasswords, 'store' | 'letsIn'>;
    readonly state: StateObjects;
  },
  username: string,
  secretId: string,
): Promise<'unchanged' | 'changing' | 'stored' | 'secret-refused'> {
  const current = await run.secrets.read(secretId, 'AWSCURRENT');
  const password = current === undefined ? undefined : passwordIn(current.value);
  if (password === undefined || !(await run.users.letsIn(username, password))) {
    const pending = await run.secrets.read(secretId, 'AWSPENDING');
    const changing = pending !== undefined && (await run.users.letsIn(username, passwordIn(pending.value)));
    return changing ? 'changing' : 'secret-refused';
  }
  if ((await run.state.read('superuserStored')) !== undefined) return 'unchanged';
  await run.users.store(username, password);
  await run.state.create('superuserStored', JSON.stringify({ username }));
  return 'stored';
}
