import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlName, Controls, Observation } from '@drover/observation/api';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Deployment } from '../src/local/deployment.ts';
import { Inputs } from '../src/local/inputs.ts';
import { Session } from '../src/local/session.ts';
import type { ExampleChoices } from '../src/local/synthesise.ts';
import { Marks } from '../src/local/travel/marks.ts';
import { deployWorld, exampleDeployment } from './local-world.test-support.ts';

const minute = 60_000;
let deployment: Deployment;

beforeAll(async () => {
  deployment = await exampleDeployment();
}, 300_000);

async function open(
  session = new Session(mkdtempSync(join(tmpdir(), 'drover-session-'))),
  deployed = deployment,
  choices: Partial<ExampleChoices> = {},
) {
  const { local, control: directly } = await deployWorld(deployed, { jobsPerHour: 20, choices });
  const inputs = new Inputs(local, session);
  const until = async (
    what: string,
    reached: (state: Observation) => boolean,
    minutes: number,
    stepMs: number = minute,
  ) => {
    for (let passed = 0; passed < minutes * minute; passed += stepMs) {
      const state = await local.readState(false);
      if (reached(state)) return state;
      await local.clock.advance(stepMs);
    }
    throw new Error(`${what}: not within ${minutes} minutes`);
  };
  const control = <Name extends ControlName>(name: Name, input: Controls[Name]) =>
    directly(name, input, () => inputs.control(name, input as never));
  return { local, inputs, session, until, control };
}

describe('drover local', () => {
  it('in jobs mode each job has an instance of its own, and the page shows assigned and waiting jobs', async () => {
    const choices = { scalingMode: 'jobs' } as const;
    const jobs = await exampleDeployment(choices);
    const { local, until, control } = await open(undefined, jobs, choices);
    await until('idle runners', ({ fleet }) => fleet.instances.some(({ runner }) => runner === 'idle'), 30);
    await control('queue-jobs', { count: 6, minutes: 5 });
    const waiting = await until('jobs wait', ({ fleet }) => (fleet.demand?.waiting ?? 0) > 0, 5, 1_000);
    expect(waiting.fleet).toMatchObject({ idleTarget: 2, minSize: 0 });
    expect(waiting.fleet.demand!.assigned).toBeGreaterThanOrEqual(6);
    const { fleet, promises } = await until('all done', (state) => state.fleet.completedJobs >= 6, 40);
    const ended = fleet.jobs.filter(({ state }) => state === 'completed').map(({ instance }) => instance);
    expect(new Set(ended).size).toBe(ended.length);
    expect(promises.filter(({ kept }) => !kept)).toEqual([]);
    expect(local.watch.checkers.fleet.jobs).toBeDefined();

    // The mode is an input that an update of the stack changes.
    await control('change-inputs', { mode: 'idle' });
    await expect(control('change-inputs', { maxSize: 9 })).rejects.toThrow('a stack update is under way');
    const idle = await until('idle mode', (state) => state.fleet.inputs?.mode === 'idle', 60);
    expect(idle.fleet.demand).toBeUndefined();
    await control('queue-jobs', { count: 3, minutes: 5 });
    const done = idle.fleet.completedJobs;
    await until('jobs of the new mode are done', (state) => state.fleet.completedJobs >= done + 3, 90);
    const after = await local.readState(false);
    expect(after.promises.filter(({ kept }) => !kept)).toEqual([]);
  }, 300_000);

  it('a fleet with types shows the hosts, the jobs and the sizes of each type, and jobs are queued for the type that is chosen', async () => {
    const choices = { scalingMode: 'jobs', types: true } as const;
    const { local, until, control } = await open(undefined, await exampleDeployment(choices), choices);
    await control('queue-jobs', { count: 2, minutes: 20, type: 'large' });
    await expect(control('queue-jobs', { count: 1, minutes: 5, type: 'small' })).rejects.toThrow('no type small');
    const large = ({ fleet }: Observation) => fleet.types?.find(({ name }) => name === 'large');
    const { fleet } = await until('large ones run', (state) => (large(state)?.demand.assigned ?? 0) >= 2, 20, 10_000);

    expect(fleet.types?.map(({ name, groupName, maxSize }) => [name, groupName, maxSize])).toEqual([
      ['default', 'runners', 8],
      ['arm', 'runners-arm', 4],
      ['large', 'runners-large', 4],
    ]);
    expect(fleet).toMatchObject({ minSize: 0, maxSize: 16, idleTarget: 3 });
    const both = await until(
      'hosts of all types',
      (state) => new Set(state.fleet.instances.map(({ type }) => type)).size === 3,
      30,
    );
    const sizes = (both.fleet.types ?? []).map(({ desiredCapacity }) => desiredCapacity);
    expect(both.fleet.desiredCapacity).toBe(sizes.reduce((sum, size) => sum + size, 0));
    await local.clock.advance((process.env.DROVER_THOROUGH === '1' ? 40 : 10) * minute);
    const { promises } = await local.readState(false);
    expect(promises.filter(({ kept }) => !kept)).toEqual([]);
  }, 300_000);

  it('every control of the console changes the state that the page receives', async () => {
    const { local, until, control } = await open();
    await until(
      'runners online and green',
      ({ fleet, cluster }) => fleet.instances.some(({ runner }) => runner !== 'none') && cluster.health === 'green',
      60,
    );

    // As the example's stack says.
    expect((await local.readState(false)).fleet.idleTarget).toBe(2);

    await control('queue-jobs', { count: 12, minutes: 10 });
    await until('jobs run', ({ fleet }) => fleet.instances.filter(({ job }) => job !== undefined).length >= 6, 30);
    await control('set-desired', { group: 'runners', capacity: 8 });
    await until('eight', ({ fleet }) => fleet.desiredCapacity === 8, 2);
    const [first, second] = (await local.readState(false)).fleet.instances.filter(
      ({ lifecycleState }) => lifecycleState === 'InService',
    );
    await control('terminate-instance', { instance: first!.id });
    await until(
      'it terminates',
      ({ fleet }) =>
        fleet.instances.some(
          ({ id, hooks }) => id === first!.id && hooks.some(({ name }) => name === 'deregistration'),
        ),
      5,
    );
    await control('break-instance', { instance: second!.id });
    await until('it is replaced', ({ fleet }) => !fleet.instances.some(({ id }) => id === second!.id), 60);
    await expect(control('reclaim-spot', { instance: first!.id })).rejects.toThrow(
      /is not a spot instance|there is no instance/,
    );

    await control('platform-down', { on: true });
    expect((await local.readState(false)).platform.down).toBe(true);
    await control('platform-down', { on: false });
    await control('platform-rate-limit', { on: true });
    expect((await local.readState(false)).platform.rateLimited).toBe(true);
    await control('platform-rate-limit', { on: false });

    await control('start-refresh', { group: 'search-data' });
    const draining = await until(
      'a node is drained and its shards relocate',
      ({ cluster }) =>
        cluster.relocations.length > 0 &&
        cluster.nodes.some(({ drain }) => drain !== undefined && drain.shardsLeft < drain.shardsAtStart),
      90,
      20_000,
    );
    expect(draining.cluster.refreshes).toMatchObject([{ group: 'search-data', status: 'InProgress' }]);
    await control('cancel-refresh', { group: 'search-data' });
    await until('it is cancelled', ({ cluster }) => cluster.refreshes.some(({ status }) => /Cancel/.test(status)), 5);
    await until(
      'green again',
      ({ cluster }) => cluster.health === 'green' && cluster.nodes.every(({ drain }) => drain === undefined),
      240,
    );

    const data = (await local.readState(false)).cluster.nodes.find(
      ({ role, inCluster }) => role === 'data' && inCluster,
    )!;
    await control('kill-node', { instance: data.instanceId });
    await until('it is seen', ({ cluster }) => cluster.health !== 'green', 5);
    await until('it is made good', ({ cluster }) => cluster.health === 'green', 120);
    await control('lose-zone', { zone: 'eu-west-1c', lost: true });
    await until(
      'two zones serve',
      ({ cluster, zones }) =>
        zones.some(({ name, lost }) => name === 'eu-west-1c' && lost) && cluster.health !== 'green',
      10,
    );
    await control('lose-zone', { zone: 'eu-west-1c', lost: false });
    await until('all is well', ({ cluster }) => cluster.health === 'green', 240);

    const full = (await local.readState(false)).cluster.nodes.find(
      ({ role, shards }) => role === 'data' && shards.length > 1,
    )!;
    await control('fill-disk', { instance: full.instanceId });
    await until(
      'shards leave it',
      ({ cluster }) => {
        const now = cluster.nodes.find(({ instanceId }) => instanceId === full.instanceId);
        return now?.machine === 'full' && now.shards.length < full.shards.length;
      },
      120,
    );
    await until(
      'its incident says what to do',
      ({ incidents }) =>
        incidents.some(
          ({ title, verdict }) => title.startsWith('The disk of') && /terminate the node/.test(verdict.text),
        ),
      120,
    );
    const master = (await local.readState(false)).cluster.nodes.find(
      ({ role, electedMaster }) => role === 'master' && !electedMaster,
    )!;
    await control('hang-instance', { instance: master.instanceId });
    await until(
      'a hung node is replaced',
      ({ cluster }) => cluster.nodes.every(({ instanceId }) => instanceId !== master.instanceId),
      60,
    );

    await control('clock', { paused: true, speed: 300 });
    expect((await local.readState(true)).clock).toMatchObject({ paused: true, speed: 300 });
    expect((await local.readState(true)).cluster.snapshots.map(({ policy }) => policy)).toHaveLength(4);
    await expect(control('clock', { speed: 0 })).rejects.toMatchObject({
      message: 'speed is 0',
      remedy: 'allowed are 1 to 3600',
    });
    const { events } = await local.readState(false);
    expect(events.filter(({ kind }) => kind === 'change')).toHaveLength(100);
    expect(events.filter(({ text }) => /process-exit|succeeded|delivered$/.test(text))).toEqual([]);
    expect(await local.writer.missing()).toEqual([]);
  }, 600_000);

  it('a replayed session ends in the same state, also when inputs of the fleet were changed by a stack update', async () => {
    const { local, session, control } = await open();
    const marks = new Marks(local, session);
    session.begin({ version: 1, seed: 'test', startedAt: Date.UTC(2026, 5, 1), settings: {} });
    await control('queue-jobs', { count: 3, minutes: 5 });
    await control('change-inputs', { idleTarget: 3, maxSize: 9, drainSeconds: 1_200 });
    await local.clock.advance(20 * minute);
    const before = await local.readState(false);
    expect(before.fleet).toMatchObject({ idleTarget: 3, maxSize: 9, allowedDrainSeconds: 1_200 });
    expect(before.incidents[0]?.title).toBe(
      'You changed inputs of the fleet: idle target 3, maximum size 9, drain time in seconds 1200.',
    );
    marks.end();
    session.reached(local.clock.now());

    const earlier = session.read()!;
    const { local: again, inputs } = await open();
    expect(await inputs.replay(earlier)).toBeUndefined();

    const after = await again.readState(false);
    expect(after.fleet.instances).toEqual(before.fleet.instances);
    expect(after.fleet.completedJobs).toBe(before.fleet.completedJobs);
    expect(after.fleet.inputs).toEqual(before.fleet.inputs);
    expect(after.incidents).toEqual(before.incidents);
    expect(after.clock.now).toBe(before.clock.now);
  }, 300_000);

  it('a damaged session is reported with a remedy', () => {
    const folder = mkdtempSync(join(tmpdir(), 'drover-session-'));
    const session = new Session(folder);
    expect(session.read()).toBeUndefined();
    writeFileSync(join(folder, 'session.json'), '{"version":');
    expect(() => session.read()).toThrow(/is damaged/);
    session.clear();
    expect(session.read()).toBeUndefined();
    expect(() => new Session(join(folder, 'x', '\0'))).toThrow(/cannot be written/);
  });
});
