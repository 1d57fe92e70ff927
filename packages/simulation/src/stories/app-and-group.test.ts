import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { asFetch } from '@drover/cloud-engine';
import { clients } from '@drover/cloud-world';
import { GitHubCredentials } from '@drover/constructs';
import { DeployedFleet } from '@drover/stage/fleet';
import { type FleetProps, synthesiseFleet } from '@drover/stage/fleet-template';
import { describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minutes = 60_000;
const pemSecret = 'app-pem';

const inputs = {
  groupName: 'runners',
  asgMinSize: 1,
  asgMaxSize: 2,
  warmPoolMaxSize: 0,
  runnerGroup: 'builders',
  credentials: GitHubCredentials.appFromArn(
    '4711',
    `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${pemSecret}`,
  ),
} satisfies FleetProps;

it('runs a fleet with an app instead of a token, in a runner group that is given by its name', {
  timeout: 300_000,
}, async () => {
  const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-fleet-')), inputs);
  const fleet = new DeployedFleet({ assembly, groupName: 'runners' });
  const { codeHost } = fleet;
  const group = codeHost.addGroup('builders');
  await installApp(fleet);

  await fleet.deploy();
  const online = () => codeHost.registry.runners.some((runner) => codeHost.registry.isOnline(runner));
  await fleet.until('a runner is online', online, 60 * minutes);
  const end = fleet.clock.now() + 20 * minutes;
  await fleet.until('twenty minutes', () => fleet.clock.now() >= end, 21 * minutes);

  expect(codeHost.registry.runners.map(({ groupId }) => groupId)).toEqual([group]);
  // config.sh on the instance asks for the groups, too.
  const asked = (path: string) =>
    fleet.world.engine.journal.entries.filter(
      ({ source, name, subject }) => source === 'platform' && name.endsWith(path) && !subject?.startsWith('i-'),
    );
  expect(asked('/access_tokens')).toHaveLength(1);
  expect(asked('/actions/runner-groups')).toHaveLength(1);
  const listed = asked('/{runner_group_id}/runners').map(({ detail }) => detail?.status);
  expect(listed.slice(-15)).toEqual(Array.from({ length: 15 }, () => 304));
});

describe('the platform API, asked by an operator with the header Authorization: token', { timeout: 300_000 }, () => {
  it('lists the app installations with app_id and app_slug, the runners with id, name, status and busy, and the rate limit', async () => {
    const stage = await CheckedFleetStage.open({ ...inputs, runnerGroup: undefined }, { before: installApp });
    await stage.untilOnline(1, 60);
    const { fleet } = stage;
    const ask = async (path: string, authorization = `token ${fleet.platformToken}`) => {
      const operator = asFetch(fleet.world.network.from({ kind: 'operator', name: 'operator' }));
      const headers = { authorization, 'user-agent': 'curl' };
      const answer = operator(`${fleet.codeHost.apiUrl}${path}`, { headers });
      return await (await fleet.drive(answer, minutes)).json();
    };

    expect(await ask('/orgs/example-org/installations')).toMatchObject({
      total_count: 1,
      installations: [{ app_id: 4711, app_slug: 'fleet-app' }],
    });
    const [member] = stage.group.members.keys();
    expect(await ask('/orgs/example-org/actions/runners')).toMatchObject({
      runners: [{ id: expect.any(Number), name: member, status: 'online', busy: false }],
    });
    expect(await ask('/rate_limit')).toMatchObject({ resources: { core: { limit: 5000 } } });
    expect(await ask('/rate_limit', 'token nobody')).toMatchObject({ message: 'Bad credentials' });
    expect(await stage.violationsNow()).toEqual([]);
  });
});

it('names the permission that an app lacks, keeps the instance Pending, and goes on once it is granted', {
  timeout: 300_000,
}, async () => {
  // With a minimum of 1 the stack itself would wait for an instance in service, and fail.
  const lacking = { ...inputs, runnerGroup: undefined, asgMinSize: 0 };
  const stage = await CheckedFleetStage.open(lacking, { before: (fleet) => installApp(fleet, false) });
  await stage.setDesired(1);
  await stage.pass(30);

  expect([...stage.group.members.values()].map(({ state }) => state)).toEqual(['Pending:Wait']);
  const log = await stage.logOf('registration');
  expect(log).toContain('Resource not accessible by integration');
  expect(log).toMatch(/rejected \(\\*"Bad credentials\\*"\)/);
  expect(log).toContain('Self-hosted runners: read and write');
  const [waiting] = stage.group.members.keys();
  await installApp(stage.fleet);
  await stage.fleet.until('it is online', () => stage.online.includes(waiting!), 120 * minutes);
  expect(await stage.violationsNow()).toEqual([]);
});

/** A key that is made once: making one takes a while. */
const key = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Installs the app; installing it again changes its permission. */
async function installApp(fleet: DeployedFleet, mayManageRunners = true): Promise<void> {
  const again = fleet.codeHost.credentials.installations.length > 0;
  const publicKey = key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const app = { id: 77, appId: 4711, appSlug: 'fleet-app', org: fleet.codeHost.org, publicKey, mayManageRunners };
  fleet.codeHost.credentials.install(app);
  if (again) return;
  const SecretString = key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await clients(fleet.world).secretsmanager.send(new CreateSecretCommand({ Name: pemSecret, SecretString }));
}
