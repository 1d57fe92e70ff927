import { spawn } from 'node:child_process';
import { serveAws } from '@drover/cloud-aws';
import type { Served } from '@drover/cloud-engine';
import { clients, World } from '@drover/cloud-world';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccountRefusal, namedAccount, requireAccount } from '../cloud/aws/test/contract/account.ts';

const world = new World({ accountId: '111122223333' });
let served: Served | undefined;
beforeAll(async () => {
  served = await serveAws(world);
});
afterAll(() => served?.close());

interface Told {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the script with nothing of this machine's own configuration. */
function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Told> {
  const { rootCredentials } = world;
  const env = {
    PATH: process.env.PATH,
    AWS_ENDPOINT_URL: served?.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: rootCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: rootCredentials.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
    ...environment,
  };
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/test-aws.ts', ...args], { env });
  const told = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    told.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    told.stderr += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...told })));
}

it.each([
  ['no account is named', {}, 'DROVER_TEST_AWS_ACCOUNT is not set'],
  [
    'the credentials are of another account',
    { DROVER_TEST_AWS_ACCOUNT: '444455556666' },
    'The credentials are of account 111122223333',
  ],
])('refuses to do anything when %s', async (_when, environment, reason) => {
  const { code, stdout, stderr } = await run([], environment as Record<string, string>);

  expect(stderr).toContain(`refused: ${reason}`);
  expect([code, stdout]).toEqual([2, '']);
  const changes = world.engine.journal.entries.filter(({ name }) => name !== 'GetCallerIdentity');
  expect(changes).toEqual([]);
});

it.each(['', '1111-2222', '1111222233334', 'production'])('test:aws does not take "%s" for an account', (named) => {
  expect(() => namedAccount({ DROVER_TEST_AWS_ACCOUNT: named })).toThrow(AccountRefusal);
});

it('refuses root, which cannot assume roles, and credentials that AWS does not know', async () => {
  const { rootCredentials } = world;
  const sts = (accessKeyId: string) => clients(world, { ...rootCredentials, accessKeyId }).sts;

  await expect(requireAccount('111122223333', sts(rootCredentials.accessKeyId))).rejects.toThrow('root cannot');
  await expect(requireAccount('111122223333', sts('AKIAUNKNOWN'))).rejects.toThrow('does not know these credentials');
});

it('says what it will do, runs the contract over HTTP as against an account, and lists what is left', async () => {
  const { code, stdout } = await run(['--rehearse=20', '--file=access', '-t', 'rule 14'], { NO_COLOR: '1' });

  expect(stdout).toMatch(/Account 123456789012 as arn:aws:iam::123456789012:user\/administrator at http:\/\/127/);
  expect(stdout).toContain('3 tests, about 2 minutes (4 one after the other)');
  expect(stdout).toMatch(/✓ .*\[rule 14\] Secrets Manager frees the name of a secret that is deleted without recovery/);
  expect(stdout).toMatch(
    /↓ .*\[rule 14\] Secrets Manager frees the name of a deleted secret only after a moment \(embedded only: AWS is sometimes quick\)/,
  );
  expect(stdout).toContain('Nothing is left behind.');
  expect(code).toBe(0);
}, 180_000);
