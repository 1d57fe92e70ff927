import { asFetch } from '@drover/cloud-engine';
import { ActsWorld, requestsOfOfficialClient } from '@drover/cloud-github/testing';
import { Secret, SeededRandom } from '@drover/core';
import type { DemandMessage, HeldSession, MessageSession } from '@drover/runner-fleet';
import { expect, it } from 'vitest';
import { PlatformClient } from '../client.ts';
import { tokenCredentials } from '../credentials.ts';
import { heldMemory } from '../fleet-memory.test-support.ts';
import { ActionsService } from './actions-service.ts';
import { actionsConnection } from './connection.ts';
import { demandService } from './demand-service.ts';
import { jitConfigurations, scaleSetRunners } from './scale-set-runners.ts';

const levels = [
  { kind: 'repo', name: 'example-org/app' },
  { kind: 'enterprise', name: 'example-enterprise' },
  { kind: 'org', name: 'example-org' },
] as const;

function clientOf(world: ActsWorld, level: (typeof levels)[number]) {
  const { clock, host } = world;
  const fetch = asFetch(world.handle);
  const credentials = tokenCredentials(async () => new Secret(world.token));
  const client = new PlatformClient({ apiUrl: host.apiUrl, level, clock, fetch, credentials });
  const memory = heldMemory();
  const random = new SeededRandom(1);
  const connection = actionsConnection({
    client,
    credentials,
    apiUrl: host.apiUrl,
    clock,
    random,
    memory,
    renews: true,
  });
  const service = new ActionsService({ connection, clock, fetch, subsystem: 'demand' });
  const options = { name: 'linux', owner: 'outside', labels: ['linux'], runnerGroup: 'default' };
  return {
    demand: demandService(service, options),
    runners: scaleSetRunners(service),
    jit: jitConfigurations(service, memory, options),
  };
}

/** The acts of the Go program in cloud/github/test/outside/scaleset, as far as Drover has them. */
async function goThroughActs(world: ActsWorld): Promise<void> {
  for (const level of levels) await clientOf(world, level).demand.connect();
  const { demand, runners, jit } = clientOf(world, levels[2]);
  await demand.connect();
  expect(await demand.findScaleSet()).toBeUndefined();
  const scaleSetId = (await demand.createScaleSet()).id;
  const first = (await demand.openSession(scaleSetId)) as MessageSession;
  expect(await demand.openSession(scaleSetId)).toEqual({ heldBy: 'outside' });
  await demand.closeSession(scaleSetId, first.id);
  const session = (await demand.openSession(scaleSetId)) as MessageSession;
  const held: HeldSession = { scaleSetId, session };
  const poll = (lastMessageId?: number) => demand.poll(held, { lastMessageId, ceiling: 5, withinMs: 55_000 });

  expect(await poll()).toBe('nothing');
  await world.play('job', undefined);
  let message = (await poll()) as DemandMessage;
  if (message.events[0]?.kind === 'available') {
    await demand.acquire(held, [message.events[0].requestId]);
    await demand.acknowledge(held, message.id);
    message = (await poll(message.id)) as DemandMessage;
  }
  expect(message.events).toMatchObject([{ kind: 'assigned' }]);
  await demand.acknowledge(held, message.id);
  await world.play('runner starts', { encodedJITConfig: (await jit.mint('i-1')).reveal() });
  await world.play('token expires', undefined);
  expect(await poll(message.id)).toBe('token-expired');
  const renewed = (await demand.renewSession(scaleSetId, session.id)) as MessageSession;
  expect(await demand.acknowledge({ scaleSetId, session: renewed }, message.id)).toBe('done');
  const runnerId = await runners.find('i-1');
  expect(await runners.find('i-none')).toBeUndefined();
  expect(await runners.remove(runnerId!)).toBe('busy');
  await world.play('job completes', undefined);
  expect(await runners.remove(runnerId!)).toBe('removed');
  await demand.closeSession(scaleSetId, session.id);
  await demand.deleteScaleSet(scaleSetId);
  expect(await demand.findScaleSet()).toBeUndefined();
  await demand.deleteScaleSet(scaleSetId);
}

it.each([
  { name: 'github', options: {} },
  { name: 'enterprise-server', options: { apiUrl: 'https://ghe.example.com/api/v3' } },
] as const)('Drover sends what GitHub’s own client sends for the same acts: $name', async ({ name, options }) => {
  const world = new ActsWorld(options);
  void world.letTimePass();
  await goThroughActs(world).finally(() => world.close());

  const official = requestsOfOfficialClient(name);
  expect(world.requests.filter((request) => !official.includes(request))).toEqual([]);
  // Acts that Drover does not have, other runners and jobs, and an installation's token, which it finds in another way.
  const sets = '/_apis/runtime/runnerscalesets/{id}';
  const others =
    /"i-[234]"|acquirejobs\?.* \[2,3,4\]$|^POST \/app\/|^GET \/_apis\/distributedtask\/pools\/0\/agents\/\{id\}/;
  const left = official.filter((request) => !world.requests.includes(request) && !others.test(request));
  expect(left.map((request) => request.replace(/\?.*/, ''))).toEqual(
    ['GET', 'PATCH'].map((method) => `${method} ${sets}`),
  );
});
