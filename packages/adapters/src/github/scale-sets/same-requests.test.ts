import { asFetch } from '@drover/cloud-engine';
import { ActsWorld, requestsOfOfficialClient } from '@drover/cloud-github/testing';
import { Secret, SeededRandom } from '@drover/core';
import type { PlatformLevel } from '@drover/core/names/platform-level';
import type { MessageSession } from '@drover/runner-fleet';
import { describe, expect, it } from 'vitest';
import { PlatformClient } from '../client.ts';
import { tokenCredentials } from '../credentials.ts';
import { heldMemory } from '../fleet-memory.test-support.ts';
import { ActionsService } from './actions-service.ts';
import { actionsConnection } from './connection.ts';
import { demandService } from './demand-service.ts';
import { jitConfigurations, scaleSetRunners } from './scale-set-runners.ts';

/** The client at one level of a world. */
function clientOf(world: ActsWorld, level: PlatformLevel) {
  const { clock, host, token } = world;
  const { apiUrl } = host;
  const random = new SeededRandom(1);
  const memory = heldMemory();
  const fetch = asFetch(world.handle);
  const credentials = tokenCredentials(async () => new Secret(token));
  const client = new PlatformClient({ apiUrl, level, clock, fetch, credentials });
  const connection = actionsConnection({ client, credentials, apiUrl, clock, random, memory, renews: true });
  const service = new ActionsService({ connection, clock, fetch, subsystem: 'demand' });
  const options = { name: 'linux', labels: ['linux'], owner: 'outside', runnerGroup: 'default' };
  return {
    demand: demandService(service, options),
    runners: scaleSetRunners(service),
    tokens: jitConfigurations(service, memory, options),
  };
}

describe('the client of the Actions service', () => {
  it.each([
    { name: 'github.com', of: 'github', options: {}, levels: ['example-org', 'example-org/app', 'example-enterprise'] },
    {
      name: 'Enterprise Server',
      of: 'enterprise-server',
      options: { apiUrl: 'https://ghe.example.com/api/v3' },
      levels: ['example-org'],
    },
  ] as const)('sends what the official client v0.4.0 sends for the same acts to $name', async ({ of, options }) => {
    const world = new ActsWorld(options);
    const time = world.letTimePass();
    const { org, enterpriseName } = world.host;
    for (const level of [
      { kind: 'repo', name: `${org}/app` },
      { kind: 'enterprise', name: enterpriseName },
    ] as const)
      await clientOf(world, level).demand.connect();
    const { demand, runners, tokens } = clientOf(world, { kind: 'org', name: org });
    await demand.connect();
    expect(await demand.findScaleSet()).toBeUndefined();
    const { id: scaleSetId } = await demand.createScaleSet();
    expect(await demand.findScaleSet()).toEqual({ id: scaleSetId, name: 'linux' });
    const session = (await demand.openSession(scaleSetId)) as MessageSession;
    expect(await demand.openSession(scaleSetId)).toBe('conflict');
    let held = { scaleSetId, session };
    const poll = (lastMessageId?: number) => demand.poll(held, { lastMessageId, ceiling: 10, withinMs: 60_000 });
    await world.play('job', undefined);
    await poll();
    const first = await poll();
    if (typeof first === 'string') throw new Error(first);
    if (of === 'enterprise-server') expect(await demand.acquire(held, [1])).toBe('done');
    expect(await demand.acknowledge(held, first.id)).toBe('done');
    await world.play('token expires', undefined);
    expect(await poll(first.id)).toBe('token-expired');
    held = { scaleSetId, session: (await demand.renewSession(scaleSetId, session.id)) as MessageSession };
    await poll(first.id);
    await tokens.mint('i-1');
    const runner = await runners.find('i-1');
    expect(await runners.find('i-none')).toBeUndefined();
    expect(await runners.remove(runner!)).toBe('removed');
    await demand.closeSession(scaleSetId, session.id);
    world.close();
    await time;

    const official = requestsOfOfficialClient(of);
    expect(world.requests.filter((request) => !official.includes(request))).toEqual([]);
    // Acts that only the official client has: other runners and jobs, an installation's token, reading a runner, and these of a set.
    const others = /"i-[234]"|\[2,3,4\]$|^POST \/app\/|^GET .*\/agents\/\{id\}/;
    const left = official.filter((request) => !world.requests.includes(request) && !others.test(request));
    expect(left.map((request) => request.replace(/\?.*/, ''))).toEqual(
      ['DELETE', 'GET', 'PATCH'].map((method) => `${method} /_apis/runtime/runnerscalesets/{id}`),
    );
  });
});
