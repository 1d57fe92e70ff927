import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Deployment } from '../src/local/deployment.ts';
import { Inputs } from '../src/local/inputs.ts';
import type { LocalWorld } from '../src/local/local-world.ts';
import { Session } from '../src/local/session.ts';
import { Marks } from '../src/local/travel/marks.ts';
import { dyingClient } from './dying-client.test-support.ts';
import { deployWorld, exampleDeployment } from './local-world.test-support.ts';

const minute = 60_000;

const newSession = () => new Session(mkdtempSync(join(tmpdir(), 'drover-replay-')));

/** Keys, and what they sign, are of real cryptography and differ each time. */
const comparable = ([path, content]: readonly [string, string]) => [
  path,
  content.replaceAll(/-----BEGIN ([A-Z ]+)-----[\s\S]*?-----END \1-----/g, '$1').replace(/^signed by [0-9a-f]+/, ''),
];

/** The state of the world, below the page's view of it. */
async function stateOf(local: LocalWorld) {
  const { world, course, fleet } = local;
  const { fleet: shown, zones, platform, functions, alarms, incidents, promises } = await local.readState(false);
  return {
    course: course.value,
    shown: { fleet: shown, zones, platform, functions, alarms, incidents, promises },
    instances: world.observe.instances().map(({ id, state, tags }) => ({ id, state, tags: { ...tags } })),
    machines: world.machines
      .all()
      .map(({ instance, state, files }) => [instance.id, state, [...files].map(comparable)]),
    jobs: fleet.codeHost.registry.queue.jobs.map((job) => ({ ...job })),
    secrets: fleet.secretValues,
    documents: local.writer.count,
  };
}

/** Acts on a world, one every four minutes. */
type Acts = (local: LocalWorld, inputs: Inputs) => readonly (() => Promise<void>)[];

/** A session that is watched by a page. */
async function play(local: LocalWorld, session: Session, acts: Acts): Promise<void> {
  session.begin({ version: 1, seed: 'test', startedAt: local.clock.now(), settings: {} });
  const marks = new Marks(local, session);
  for (const act of acts(local, new Inputs(local, session))) {
    await act();
    for (let passed = 0; passed < 4; passed++) {
      // With a slow network the page waits for its state while time goes on.
      void local.readState(passed === 0);
      await local.clock.advance(minute);
      marks.note();
    }
  }
  marks.end();
  session.reached(local.clock.now());
}

/** How often the client is killed. Each time it lives for a turn of the event loop longer. */
const kills = Number(process.env.DROVER_CLIENT_KILLS ?? 12);

/** The same at the pace of `drover local`, also watched from outside by clients that are killed in mid-request. */
async function playWatched(local: LocalWorld, session: Session, acts: Acts): Promise<void> {
  session.begin({ version: 1, seed: 'test', startedAt: local.clock.now(), settings: {} });
  const inputs = new Inputs(local, session);
  const marks = new Marks(local, session);
  local.pace.onStep = () => marks.note();
  const client = await dyingClient(local, inputs);
  let responses = 0;
  let killed = 0;
  local.pace.start();
  const given = acts(local, inputs);
  for (const [index, act] of given.entries()) {
    await act();
    const until = local.clock.now() + 4 * minute;
    const killsByThen = ((index + 1) * kills) / given.length;
    while (local.clock.now() < until || killed < killsByThen) {
      if (killed < killsByThen) {
        void local.readState(killed % 4 === 0);
        responses += await client.look(killed++);
      } else await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await local.pace.stop();
  marks.end();
  session.reached(local.clock.now());
  await client.close();
  expect(killed).toBe(kills);
  if (kills > 100) expect(responses).toBeGreaterThan(kills);
}

/** Plays a session over the wire, then again without it, and compares both now and after they have gone on. */
async function expectSameCourse(deployment: Deployment, acts: Acts, playFirst = play) {
  const session = newSession();
  let real = 0;
  const { local: first } = await deployWorld(deployment, {
    jobsPerHour: 20,
    realNow: () => real,
    realSleep: async (ms) => {
      real += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  await playFirst(first, session, acts);
  const kept = session.read()!;
  expect(kept.marks.length).toBeGreaterThan(1);

  const { local: again } = await deployWorld(deployment, { jobsPerHour: 20, quickReplay: true });
  const inputs = new Inputs(again, newSession());
  expect(await inputs.replay(kept)).toBeUndefined();

  expect(again.clock.now()).toBe(first.clock.now());
  expect(again.quickReplay.on).toBe(false);
  expect(await stateOf(again)).toEqual(await stateOf(first));
  for (const world of [first, again]) await world.clock.advance(4 * minute);
  expect(await stateOf(again)).toEqual(await stateOf(first));
  expect(first.watch.checkers.fleet.violations).toEqual([]);
  return { again, inputs };
}

it(
  'a replay without the wire, and without who watched, ends in the state of a session that was watched by clients which were killed in mid-request',
  async () => {
    const acts: Acts = ({ world }, given) => [
      () => given.control('queue-jobs', { count: 4, minutes: 3 } as never),
      () => given.control('slow-network', { on: true } as never),
      () => given.control('slow-network', { on: false } as never),
      () => given.control('lose-zone', { zone: world.aws.zones[0]!, lost: true } as never),
    ];
    const { again, inputs } = await expectSameCourse(await exampleDeployment(), acts, playWatched);

    // At a mark of another course it ends.
    const now = again.clock.now();
    again.quickReplay.on = true;
    const marks = [1, 2].map((minutes) => ({ at: now + minutes * minute, digest: 'of another course' }));
    expect(await inputs.replay({ inputs: [], marks, endedAt: now + 60 * minute })).toBe(now + minute);
    expect(again.clock.now()).toBe(now + minute);
  },
  300_000 + kills * 10_000,
);

/** `npm run test:thorough` */
const thorough = process.env.DROVER_THOROUGH === '1';

it('a replay without the wire of a fleet in jobs mode ends in the state of the first play, also after a job was given up', {
  skip: !thorough,
  timeout: 300_000,
}, async () => {
  const deployment = await exampleDeployment({ scalingMode: 'jobs' }, { allowedDrainTime: 60 });
  const { again } = await expectSameCourse(deployment, ({ fleet }, inputs) => [
    () => inputs.control('queue-jobs', { count: 4, minutes: 30 } as never),
    () => {
      const instance = fleet.codeHost.registry.queue.jobs.find(({ state }) => state === 'running')?.runnerName;
      return inputs.control('terminate-instance', { instance } as never);
    },
    () => inputs.control('queue-jobs', { count: 1, minutes: 1 } as never),
  ]);
  expect(again.fleet.codeHost.registry.queue.jobs.map(({ state }) => state)).toContain('lost');
});
