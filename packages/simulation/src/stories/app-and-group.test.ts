import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { clients } from '@drover/embedded-cloud';
import { expect, it } from 'vitest';
import { type FleetInputs, synthesiseFleet } from '../fleet/fleet-app.ts';
import { FleetSimulation } from '../fleet/fleet-simulation.ts';

const minutes = 60_000;
const pemSecret = 'app-pem';

const inputs = {
  groupName: 'runners',
  asgMinSize: 1,
  asgMaxSize: 2,
  warmPoolMaxSize: 0,
  runnerGroup: 'builders',
  platformTokenSecretArn: undefined,
  platformAppId: '4711',
  platformAppPemSecretArn: `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${pemSecret}`,
} as FleetInputs;

it('runs a fleet with an app in the place of a token, in a runner group that is given by its name', async () => {
  const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-fleet-')), inputs);
  const fleet = new FleetSimulation({ assembly, groupName: 'runners' });
  const { codeHost } = fleet;
  const group = codeHost.addGroup('builders');
  await installApp(fleet);

  await fleet.deploy();
  const online = () => codeHost.registry.runners.some((runner) => codeHost.registry.isOnline(runner));
  await fleet.until('a runner is online', online, 60 * minutes);
  const end = fleet.clock.now() + 20 * minutes;
  await fleet.until('twenty minutes', () => fleet.clock.now() >= end, 21 * minutes);

  expect(codeHost.registry.runners.map(({ groupId }) => groupId)).toEqual([group]);
  const asked = (path: string) =>
    fleet.world.engine.journal.entries.filter(({ source, name }) => source === 'platform' && name.endsWith(path));
  expect(asked('/access_tokens')).toHaveLength(1);
  expect(asked('/actions/runner-groups')).toHaveLength(1);
  const listed = asked('/{runner_group_id}/runners').map(({ detail }) => detail?.status);
  expect(listed.slice(-15)).toEqual(Array.from({ length: 15 }, () => 304));
}, 120_000);

async function installApp(fleet: FleetSimulation): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  fleet.codeHost.credentials.install({
    id: 77,
    appId: 4711,
    appSlug: 'fleet-app',
    org: fleet.codeHost.org,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    mayManageRunners: true,
  });
  const SecretString = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await clients(fleet.world).secretsmanager.send(new CreateSecretCommand({ Name: pemSecret, SecretString }));
}
