import { readFileSync, statSync } from 'node:fs';
import { PlatformClient, tokenCredentials } from '@drover/adapters/github';
import { RealClock, Secret, SystemRandom } from '@drover/core';
import { AccountRefusal, namedAccount, requireAccount } from '../../cloud/aws/test/contract/account.ts';
import { Account, type AccountClients } from './account.ts';
import type { Ground, Parts } from './ground.ts';
import type { Time } from './lab.ts';
import { type Options, Refused } from './options.ts';
import { Repository } from './repository.ts';
import { RealRunner } from './runner.ts';
import { ScaleSets } from './scale-sets.ts';

const apiUrl = 'https://api.github.com';

/** GitHub, and the account that is named, if one is. */
export async function realGround(options: Options): Promise<Ground> {
  const { github, runnerFolder, subnet, hosted } = options;
  const token = github === undefined ? undefined : readToken(github.token);
  const aws = await accountOf();
  const name = [github?.repository, aws === undefined ? undefined : `account ${aws.account}`]
    .filter(Boolean)
    .join(', ');
  return {
    name,
    rehearsed: false,
    hosted,
    time: realTime,
    parts: (time): Parts => ({
      ...(github === undefined || token === undefined ? {} : { github: githubParts(github, token, time) }),
      ...(aws === undefined ? {} : { aws: new Account(aws.clients, time, subnet) }),
      ...(runnerFolder === undefined ? {} : { runner: new RealRunner(runnerFolder) }),
    }),
  };
}

function githubParts(named: NonNullable<Options['github']>, token: Secret, time: Time): Parts['github'] {
  const level = { kind: 'org', name: named.organisation } as const;
  const [random, credentials] = [new SystemRandom(), tokenCredentials(async () => token)];
  const client = new PlatformClient({ apiUrl, level, credentials, clock: time.clock, fetch });
  return {
    repository: new Repository({ client, name: named.repository, branch: named.branch, time, random }),
    sets: new ScaleSets({ client, credentials, apiUrl, time, random, fetch }),
  };
}

function realTime(signal?: AbortSignal): Time {
  const clock = new RealClock();
  return {
    clock,
    now: () => clock.now(),
    pass: (ms) => clock.sleep(ms, signal),
    during: (open) => (signal === undefined ? open : unlessAborted(open, signal)),
  };
}

async function unlessAborted<T>(open: Promise<T>, signal: AbortSignal): Promise<T> {
  const ended = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: ended.signal });
  });
  try {
    return await Promise.race([open, aborted]);
  } finally {
    ended.abort();
  }
}

/** The token, from where the options say. */
export function readToken(place: NonNullable<Options['github']>['token']): Secret {
  if ('variable' in place) {
    const value = process.env[place.variable];
    if (value === undefined || value === '') throw new Refused(`the variable ${place.variable} is empty or not set`);
    return new Secret(value.trim());
  }
  try {
    const { mode } = statSync(place.file);
    if ((mode & 0o077) !== 0) throw new Refused(`others may read ${place.file}: chmod 600 it`);
    return new Secret(readFileSync(place.file, 'utf8').trim());
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(`${place.file} cannot be read`);
  }
}

/** Undefined when no account is named. */
async function accountOf(): Promise<{ readonly account: string; readonly clients: AccountClients } | undefined> {
  if (process.env.DROVER_TEST_AWS_ACCOUNT === undefined) return undefined;
  try {
    const account = namedAccount(process.env);
    await requireAccount(account);
    const { accountClients } = await import('../../cloud/aws/test/contract/account-target.ts');
    return { account, clients: accountClients() };
  } catch (error) {
    if (error instanceof AccountRefusal) throw new Refused(error.message);
    throw error;
  }
}
