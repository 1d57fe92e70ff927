import { userPasswords } from '@drover/adapters/search/passwords';
import { TerminalError } from '@drover/core';
import { changePassword, type PasswdStep } from '@drover/search-cluster';
import { clusterAws, secretVersions } from '../aws.ts';
import type { Context } from '../context.ts';
import { secretOf } from '../credentials.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandInput } from '../tree/types.ts';

export async function run(context: Context, { options }: CommandInput): Promise<number> {
  const username = options.username as string;
  const secretId = (options['new-password-secret'] as string | undefined) ?? secretOf(await context.facts(), username);
  if (secretId === undefined)
    throw new TerminalError(`no secret is known for user ${username}`, { remedy: 'give --new-password-secret ID' });
  const users = userPasswords(context.search(), context.searchOptions());
  const secrets = secretVersions(clusterAws(context));
  await changePassword(
    { secrets, users, random: context.io.random, onStep: (step) => context.log.debug(steps[step]) },
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
