import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Deployment } from '../src/local/deployment.ts';
import { Inputs } from '../src/local/inputs.ts';
import type { LocalWorld } from '../src/local/local-world.ts';
import { Session } from '../src/local/session.ts';
import { Marks } from '../src/local/travel/marks.ts';
import { deployWorld, exampleDeployment } from './local-world.test-support.ts';

const minute = 60_000;
let deployment: Deployment;

beforeAll(async () => {
  deployment = await exampleDeployment();
}, 300_000);

const newSession = () => new Session(mkdtempSync(join(tmpdir(), 'drover-replay-')));

/** What the world holds, below what the page shows of it. */
async function stateOf(local: LocalWorld) {
  const { world, course, fleet } = local;
  const { fleet: shown, zones, platform, functions, alarms, incidents, promises } = await local.readState(false);
  return {
    course: course.value,
    shown: { fleet: shown, zones, platform, functions, alarms, incidents, promises },
    instances: world.observe.instances().map(({ id, state, tags }) => ({ id, state, tags: { ...tags } })),
    machines: world.machines.all().map(({ instance, state, files }) => [instance.id, state, [...files]]),
    jobs: fleet.codeHost.registry.queue.jobs.map((job) => ({ ...job })),
    secrets: fleet.secretValues,
    documents: local.writer.count,
  };
}

/** A session with jobs, a slow network and a lost zone, watched by a page. */
async function playSession(local: LocalWorld, session: Session): Promise<void> {
  session.begin({ version: 1, seed: 'test', startedAt: local.clock.now(), settings: {} });
  const inputs = new Inputs(local, session);
  const marks = new Marks(local, session);
  const zone = local.world.aws.zones[0]!;
  const acts = [
    () => inputs.control('queue-jobs', { count: 8, minutes: 10 } as never),
    () => inputs.control('slow-network', { on: true } as never),
    () => inputs.control('slow-network', { on: false } as never),
    () => inputs.control('lose-zone', { zone, lost: true } as never),
    () => inputs.control('lose-zone', { zone, lost: false } as never),
  ];
  for (const act of acts) {
    await act();
    for (let passed = 0; passed < 12; passed++) {
      await local.clock.advance(minute);
      marks.note();
      await local.readState(passed % 6 === 0);
    }
  }
  marks.end();
  session.reached(local.clock.now());
}

describe('a quick replay of a session', () => {
  it('ends in the state of the first play, from which both go on alike', async () => {
    const session = newSession();
    const { local: first } = await deployWorld(deployment, { jobsPerHour: 20 });
    await playSession(first, session);
    const course = session.read()!;
    expect(course.marks.length).toBeGreaterThan(4);

    const { local: again } = await deployWorld(deployment, { jobsPerHour: 20, skipsWire: true });
    expect(await new Inputs(again, newSession()).replayQuickly(course)).toBe(true);

    expect(again.clock.now()).toBe(first.clock.now());
    expect(again.skipsWire).toBe(false);
    expect(await stateOf(again)).toEqual(await stateOf(first));
    for (const world of [first, again]) await world.clock.advance(20 * minute);
    expect(await stateOf(again)).toEqual(await stateOf(first));
    expect(first.watch.checkers.fleet.violations).toEqual([]);
  }, 600_000);

  it('ends where it finds that it took another course', async () => {
    const { local } = await deployWorld(deployment, { skipsWire: true });
    const begunAt = local.clock.now();
    const marks = [{ at: begunAt + 5 * minute, digest: 'of another course' }];
    const inputs = new Inputs(local, newSession());

    expect(await inputs.replayQuickly({ inputs: [], marks, endedAt: begunAt + 60 * minute })).toBe(false);

    expect(local.clock.now()).toBe(begunAt + 5 * minute);
    expect(local.skipsWire).toBe(false);
  }, 300_000);
});
