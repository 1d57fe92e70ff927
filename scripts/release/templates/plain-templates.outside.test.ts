import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RealClock } from '@drover/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClients } from '../../../cloud/aws/test/outside/outside-client.ts';
import { writeTemplates } from '../cloudformation.ts';
import { DeployingWorld } from './deploying-world.test-support.ts';

/** The distribution's own where there are several. */
const clis = outsideClients('aws', 'apt-get install awscli');
const cli = clis.find(({ path }) => path.startsWith('/usr/bin/')) ?? clis[0]!;
const appId = 4711;
const minutes = 60_000;
const real = new RealClock();

const folder = mkdtempSync(join(tmpdir(), 'drover-templates-'));
const release = join(folder, 'cloudformation');
let deploying: DeployingWorld;
let variables: Readonly<Record<string, string>>;

/** The command against the embedded cloud; between two looks at a stack it sleeps as much shorter as time runs faster there. */
function installAws(): void {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'sitecustomize.py'),
    'import time\nslept = time.sleep\ntime.sleep = lambda s: slept(s / 30)\n',
  );
  // One request for each file: parts of an upload are not modelled.
  writeFileSync(join(folder, 'config'), '[default]\ns3 =\n  multipart_threshold = 1GB\n');
  writeFileSync(
    join(bin, 'aws'),
    `#!/bin/sh\nPYTHONPATH=${bin} exec ${cli.path} --endpoint-url "$AWS_ENDPOINT_URL" "$@"\n`,
  );
  chmodSync(join(bin, 'aws'), 0o755);
}

/** Runs a script of the shell in the folder of the release; fails with what it printed. */
function shell(script: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const path = `${join(folder, 'bin')}:${process.env.PATH}`;
  const env = {
    ...deploying.credentials,
    ...variables,
    ...more,
    PATH: path,
    HOME: folder,
    AWS_CONFIG_FILE: join(folder, 'config'),
  };
  return new Promise((resolve, reject) => {
    execFile('bash', ['--norc', '-euc', script], { cwd: release, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      error === null
        ? resolve(stdout)
        : reject(new Error(`${script}\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`)),
    );
  });
}

const pem = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

beforeAll(async () => {
  if (cli.missing) return;
  writeTemplates(release);
  installAws();
  deploying = await DeployingWorld.open({
    fleets: ['builders', 'nightly'],
    clusters: ['logs', 'metrics'],
    speed: 240,
  });
  const { codeHost, platformToken } = deploying.fleets[0]!;
  codeHost.credentials.install({
    id: 77,
    appId,
    appSlug: 'fleet-app',
    org: codeHost.org,
    publicKey: pem.publicKey,
    mayManageRunners: true,
  });
  const { place } = deploying;
  const [SUBNET_A = '', SUBNET_B = '', SUBNET_C = ''] = place.subnetIds;
  variables = {
    ...{ BUCKET: 'release-assets', VPC: place.vpcId, SUBNET_A, SUBNET_B, SUBNET_C, ORG: codeHost.org },
    ...{ ZONE_ID: place.zoneId, ZONE_NAME: place.zoneName, VPC_RANGE: place.vpcRange },
  };
  writeFileSync(join(folder, 'token'), platformToken);
  writeFileSync(join(folder, 'key.pem'), pem.privateKey);
  const secret = async (name: string, file: string) =>
    (
      await shell(
        `aws secretsmanager create-secret --name ${name} --secret-string file://${join(folder, file)} --query ARN --output text`,
      )
    ).trim();
  variables = { ...variables, TOKEN_ARN: await secret('token', 'token'), KEY_ARN: await secret('key', 'key.pem') };
});
afterAll(async () => {
  await deploying?.close();
  rmSync(folder, { recursive: true });
});

/** The blocks of the release's README that are typed as they are: those that fill something in are the test's own. */
const readme = () =>
  [...readFileSync(join(release, 'README.md'), 'utf8').matchAll(/```sh\n(.*?)```/gs)]
    .map(([, text = '']) => text)
    .filter((text) => !text.startsWith('export '));

async function until(what: string, reached: () => boolean | Promise<boolean>, limitMs = 10 * minutes): Promise<void> {
  const end = real.now() + limitMs;
  while (!(await reached())) {
    if (real.now() > end) throw new Error(`${what}: not within ${limitMs / minutes} minutes`);
    await real.sleep(250);
  }
}

const online = (group: string) => {
  const { registry } = deploying.fleets[0]!.codeHost;
  const own = new Set(deploying.inService(group));
  return registry.runners.filter(
    (runner) => registry.isOnline(runner) && [...own].some((id) => runner.name.includes(id)),
  ).length;
};
const green = async (index: number) =>
  (await deploying.clusters[index]!.ask<{ status: string }>('GET', '/_cluster/health')).status === 'green';

describe(`the released templates, deployed with ${cli.path} ${cli.reason}`, () => {
  it.skipIf(cli.missing)(
    'the commands of their README deploy a fleet and a cluster, both come into service',
    { timeout: 15 * minutes },
    async () => {
      const [fleet = '', cluster = '', ...more] = readme();
      expect(more).toEqual([]);
      expect(fleet.match(/^aws/gm)).toHaveLength(5);
      await shell(fleet);
      await shell(cluster);
      await until('three runners are online', () => online('builders') === 3);
      expect(await green(0)).toBe(true);
    },
  );

  it.skipIf(cli.missing)(
    'a second fleet with a GitHub App and a second cluster come into service beside them in the same account',
    { timeout: 15 * minutes },
    async () => {
      const [fleet = '', cluster = ''] = readme();
      const secondFleet = fleet
        .slice(fleet.indexOf('aws cloudformation'))
        .replaceAll('builders', 'nightly')
        .replace(
          'ParameterKey=PlatformTokenSecretArn,ParameterValue=$TOKEN_ARN"',
          `ParameterKey=PlatformAppId,ParameterValue=${appId}" "ParameterKey=PlatformAppPemSecretArn,ParameterValue=$KEY_ARN"`,
        );
      await Promise.all([shell(secondFleet), shell(cluster.replaceAll('logs', 'metrics'))]);
      await until('three runners are online', () => online('nightly') === 3);
      expect(await green(1)).toBe(true);
      expect([online('builders'), await green(0)]).toEqual([3, true]);
    },
  );

  it.skipIf(cli.missing)('a fleet with two kinds of credentials is refused before anything is made', async () => {
    const [fleet = ''] = readme();
    const both = fleet
      .slice(fleet.indexOf('aws cloudformation'), fleet.lastIndexOf('aws cloudformation wait'))
      .replaceAll('builders', 'third')
      .replace('"ParameterKey=VpcId', `ParameterKey=PlatformAppId,ParameterValue=${appId} "ParameterKey=VpcId`);
    await expect(shell(both)).rejects.toThrow(
      /PlatformAppPemSecretArn of a GitHub App, or PlatformTokenSecretArn, and not both/,
    );
  });

  it.skipIf(cli.missing)(
    'one fleet and one cluster are destroyed, and the others go on with the same machines',
    { timeout: 15 * minutes },
    async () => {
      const kept = ['nightly', 'metrics', 'metrics-data'];
      const before = kept.map((group) => deploying.inService(group));
      const drover = join(process.cwd(), 'apps/drover/bin/drover.js');
      await Promise.all([
        shell(`node ${drover} fleet destroy --stack builders --yes`),
        shell(`node ${drover} cluster destroy --stack logs --skip-snapshot --yes`),
      ]);

      for (const stack of ['builders', 'logs'])
        await expect(shell(`aws cloudformation describe-stacks --stack-name ${stack}`)).rejects.toThrow(
          /does not exist/,
        );
      expect(kept.map((group) => deploying.inService(group))).toEqual(before);
      const { queue } = deploying.fleets[0]!.codeHost.registry;
      const { completed } = queue.counts;
      queue.enqueue({ durationMs: 2 * minutes });
      await until('a job has run', () => queue.counts.completed > completed);
      expect([online('nightly'), await green(1)]).toEqual([3, true]);
    },
  );
});
