import { userPasswords } from '@drover/adapters/elasticsearch';
import { TerminalError } from '@drover/core';
import { changePassword, type PasswdStep } from '@drover/search-cluster';
import type { Context } from '../context.ts';
import { secretOf } from '../credentials.ts';
import { exitCodes } from '../exit.ts';
import type { CommandInput } from '../tree/tree.ts';

/** Changes a user's password to a new random one. */
export async function passwd(context: Context, { options }: CommandInput<'passwd'>): Promise<number> {
  const { username } = options;
  const secretId = options.newPasswordSecret ?? secretOf(await context.facts(), username);
  if (secretId === undefined)
    throw new TerminalError(`no secret is known for user ${username}`, { remedy: 'give --new-password-secret ID' });
  const users = userPasswords(context.search(), context.searchOptions());
  const { secrets } = await context.aws();
  await changePassword(
    {
      secrets,
      users,
      random: context.io.random,
      onStep: (step) => context.log.debug(steps[step]),
    },
    username,
    secretId,
  );
  context.log.info(`the password of ${username} was changed; it is in secret ${secretId}`);
  return exitCodes.done;
}

const steps: Readonly<Record<PasswdStep, string>> = {
  'write-pending': 'writing a new password as AWSPENDING',
  'change-in-elasticsearch': 'changing the password in Elasticsearch',
  promote: 'the new password works: promoting it to AWSCURRENT',
  done: 'done',
};
