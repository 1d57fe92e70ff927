import type { Credentials } from '@drover/cloud-aws';
import { asFetch } from '@drover/cloud-engine';
import { clients } from '@drover/cloud-world';
import { readingIo } from '@drover/observation/account/console';
import type { DroverIo } from '@drover/operator/io';
import type { LocalWorld } from '../../../packages/local/src/local/local-world.ts';
import { AccountObserver } from '../../../packages/observation/src/account/account-observer.ts';
import { openStacks } from '../../../packages/observation/src/account/stacks.ts';
import { main } from '../src/main.ts';
import { memoryIo } from './memory-io.test-support.ts';

export const watcher = 'watcher';

/** The io of a command that runs against a world of `drover local`, with the given credentials. */
export function ioOf(local: LocalWorld, credentials?: Credentials) {
  const aws = clients(local.world, credentials);
  return memoryIo({
    clock: local.clock,
    fetch: asFetch(local.world.network.from({ kind: 'operator', name: 'operator' })),
    aws: async () => ({ ...aws, secrets: aws.secretsmanager }) as unknown as Awaited<ReturnType<DroverIo['aws']>>,
  });
}

/** Runs a command line as the owner of the account, and moves time until it has ended. */
export async function droverOn(local: LocalWorld, ...argv: string[]) {
  const { io, said } = ioOf(local);
  const running = main(argv, io);
  // Loading a command takes real time, in which none of the world's may pass: else every run takes another course.
  // The campaign, whose programs are one bundle, has no such wait.
  if (process.env.VITEST !== undefined) await (await import('vitest')).vi.dynamicImportSettled();
  const exitCode = await local.fleet.drive(running, 30 * 60_000);
  return { exitCode, ...said };
}

/** A role with this policy and no other permission; returns what begins a session of it. */
export async function roleWith(local: LocalWorld, policy: string): Promise<() => Promise<Credentials>> {
  const { aws, rootCredentials: credentials } = local.world;
  const call = <T>(...[service, operation, input]: Parameters<LocalWorld['call']>) =>
    aws.call(service, operation, input, { credentials }) as Promise<T>;
  const AssumeRolePolicyDocument = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${aws.accountId}:root` }, Action: 'sts:AssumeRole' },
    ],
  });
  const name = { RoleName: watcher };
  const { Role } = await call<{ Role: { Arn: string } }>('iam', 'CreateRole', {
    ...name,
    AssumeRolePolicyDocument,
    MaxSessionDuration: 43_200,
  });
  await call('iam', 'PutRolePolicy', { ...name, PolicyName: 'console', PolicyDocument: policy });
  return async () => {
    const { Credentials: keys } = await call<{ Credentials: Record<string, string> }>('sts', 'AssumeRole', {
      RoleArn: Role.Arn,
      RoleSessionName: watcher,
      DurationSeconds: 43_200,
    });
    return {
      accessKeyId: keys.AccessKeyId!,
      secretAccessKey: keys.SecretAccessKey!,
      sessionToken: keys.SessionToken!,
    };
  };
}

/** The console's observer of the stacks, as that role. */
export async function observeAs(local: LocalWorld, credentials: Credentials, stacks: readonly string[]) {
  const io = readingIo(ioOf(local, credentials).io);
  const watched = await local.fleet.drive(openStacks(io, { stacks }), 60_000);
  return new AccountObserver(io, watched);
}
