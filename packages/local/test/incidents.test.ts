import type { Incident } from '@drover/observation/api';
import { phaseOfInstance, phaseOfNode } from '@drover/observation/phase';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Deployment } from '../src/local/deployment.ts';
import type { LocalWorld } from '../src/local/local-world.ts';
import { deployWorld, exampleDeployment } from './local-world.test-support.ts';

const minute = 60_000;
let deployment: Deployment;

beforeAll(async () => {
  deployment = await exampleDeployment();
}, 300_000);

/** A world in which people try things, some of them at the same time. */
async function open(seed: string, quickReplay = false) {
  const { local, control } = await deployWorld(deployment, { seed, quickReplay });
  await local.clock.advance(10 * minute);
  const incident = (title: RegExp): Incident => local.watch.incidents.newestFirst.find((one) => title.test(one.title))!;
  const until = async (what: string, reached: () => boolean, minutes: number) => {
    for (let passed = 0; passed < minutes; passed++) {
      if (reached()) return;
      await local.clock.advance(minute);
    }
    throw new Error(
      `${what}: not within ${minutes} minutes\n${JSON.stringify(local.watch.incidents.newestFirst, null, 1)}`,
    );
  };
  return { local, control, incident, until };
}

/** No machine runs behind a member that Auto Scaling counts on, or that waits for its hooks. */
const isDead = ({ world }: LocalWorld, id: string, lifecycleState: string): boolean =>
  world.machines.get(id)?.state === 'crashed' ||
  (!/^(pending|running)$/.test(world.observe.instance(id)?.state ?? '') && /^InService$|:Wait$/.test(lifecycleState));

/** Compares each cell of the page with its machine and with GitHub. */
async function expectTrueStates(local: LocalWorld) {
  const { fleet, cluster } = await local.readState(false);
  const { registry } = local.fleet.codeHost;
  for (const instance of fleet.instances) {
    const phase = phaseOfInstance(instance);
    const runner = registry.runners.find(({ name }) => name === instance.id);
    const online = runner !== undefined && registry.isOnline(runner);
    const where = `${instance.id} ${instance.lifecycleState} ${phase}`;
    const dead = isDead(local, instance.id, instance.lifecycleState);
    expect(phase === 'gone' || phase === 'hung', where).toBe(dead);
    if (phase === 'booting') expect(instance.lifecycleState, where).toMatch(/^Pending/);
    if (phase === 'busy') expect([online, runner?.job !== undefined], where).toEqual([true, true]);
    if (phase === 'idle') expect([online, runner?.job], where).toEqual([true, undefined]);
    if (phase === 'offline') expect(online, where).toBe(false);
  }
  for (const node of cluster.nodes) {
    const dead = isDead(local, node.instanceId, node.lifecycleState);
    expect(phaseOfNode(node) === 'gone', `${node.name} ${node.lifecycleState}`).toBe(dead);
  }
  return { phases: fleet.instances.map(phaseOfInstance), cluster };
}

const story = ({ steps }: Incident) => steps.map(({ text }) => text).join('\n');

/** `npm run test:thorough` */
const thorough = process.env.DROVER_THOROUGH === '1';

describe('incidents of drover local', () => {
  it('a job that outlasts its drain while GitHub is down, and two zone losses: each names cause, reaction and verdict', {
    skip: !thorough,
    timeout: 600_000,
  }, async () => {
    const { local, control, incident, until } = await open('incidents');
    const { queue } = local.fleet.codeHost.registry;

    // A refused act is no incident.
    await expect(control('reclaim-spot', { instance: local.cluster.nodes.keys().next().value! })).rejects.toThrow(
      'is not a spot instance',
    );
    await expect(control('lose-zone', { zone: 'eu-west-9z', lost: true })).rejects.toThrow('there is no zone');
    expect(local.watch.incidents.newestFirst).toEqual([]);

    // A: jobs of an hour, GitHub down, a busy instance terminated.
    await control('queue-jobs', { count: 2, minutes: 60 });
    await until('a job runs', () => queue.jobs.some(({ state }) => state === 'running'), 20);
    await control('platform-down', { on: true });
    const busy = queue.jobs.find(({ state }) => state === 'running')!;
    await control('terminate-instance', { instance: busy.runnerName! });
    const terminated = new RegExp(`You terminated ${busy.runnerName}`);
    await until('it is gone', () => local.world.observe.member(busy.runnerName!) === undefined, 60);
    expect(incident(terminated).verdict).toMatchObject({
      state: 'open',
      text: 'It is gone; its successor is on its way.',
    });
    await expectTrueStates(local);
    await control('platform-down', { on: false });
    await until('its successor serves', () => incident(terminated).endedAt !== undefined, 60);
    expect(incident(terminated)).toMatchObject({ kind: 'act', verdict: { state: 'fair' } });
    // By the journal its machine was there, and GitHub was not.
    const givenUp = ({ id }: { readonly id: number }) =>
      `Job ${id} was lost: its runner could not reach GitHub and gave it up.`;
    expect(incident(terminated).verdict.text).toContain(givenUp(busy));
    expect(story(incident(terminated))).toContain(`${busy.runnerName} is to be terminated and drains first`);
    await until('GitHub is back', () => incident(/^GitHub is down/).endedAt !== undefined, 60);
    expect(story(incident(/^GitHub is down/))).toMatch(/function runners_\w+ failed/);
    // The fault is judged as by the scenarios: its drain time was over.
    expect(local.watch.promises().filter(({ kept }) => !kept)).toEqual([]);

    await expectTrueStates(local);

    // GitHub is back before it notices that a runner has given its job up: the incident waits for it.
    await control('queue-jobs', { count: 1, minutes: 60 });
    const last = queue.jobs.at(-1)!;
    await until('it runs', () => last.state === 'running', 20);
    await control('platform-down', { on: true });
    // Errors of its front are tried again for up to five and a half minutes.
    await local.clock.advance(6 * minute);
    await expectTrueStates(local);
    await control('platform-down', { on: false });
    await until('GitHub is back again', () => incident(/^GitHub is down/).endedAt !== undefined, 60);
    expect([last.state, incident(/^GitHub is down/).verdict]).toEqual([
      'lost',
      { state: 'fair', text: `It is over, and the fleet is complete. ${givenUp(last)}` },
    ]);

    // B: a zone is lost and comes back.
    await control('lose-zone', { zone: 'eu-west-1a', lost: true });
    expect((await expectTrueStates(local)).phases).toContain('gone');
    await local.clock.advance(30 * minute);
    expect(incident(/eu-west-1a is lost/).verdict).toMatchObject({
      state: 'open',
      text: expect.stringContaining('still lost'),
    });
    await control('lose-zone', { zone: 'eu-west-1a', lost: false });
    await until('the zone is made good', () => incident(/eu-west-1a is lost/).endedAt !== undefined, 240);
    const lost = incident(/eu-west-1a is lost/);
    expect(lost.verdict.text).toMatch(
      /^eu-west-1a is back and everything is in service\. .*None of \d+ acknowledged documents are lost\.$/,
    );
    expect(story(lost)).toMatch(/The cluster is yellow[\s\S]*joined the cluster[\s\S]*The cluster is green/);

    // D: an instance refresh of the data nodes.
    await control('start-refresh', { group: 'search-data' });
    await until('the refresh is over', () => incident(/refresh of search-data/).endedAt !== undefined, 300);
    expect(incident(/refresh of search-data/).verdict).toMatchObject({
      state: 'good',
      text: expect.stringMatching(/ended: Successful, 100 % replaced\. None of \d+ acknowledged documents are lost\.$/),
    });

    // C: two zones at once take the majority of the masters.
    await control('lose-zone', { zone: 'eu-west-1b', lost: true });
    await control('lose-zone', { zone: 'eu-west-1c', lost: true });
    await local.clock.advance(10 * minute);
    expect(incident(/eu-west-1c is lost/).verdict.text).toMatch(
      /Only [01] of 3 voting masters (is|are) left, so no master can be elected.*Restore it from a snapshot/,
    );
    expect(local.watch.promises().filter(({ kept }) => !kept)).toEqual([]);
    // A dead cluster says so, with the way out, and claims nothing about its documents.
    const { cluster } = await expectTrueStates(local);
    expect(cluster.health).toBe('unknown');
    expect(cluster.trouble).toMatch(
      /no master can be elected.*Restore it from a snapshot.*branch from a moment before/,
    );
    const [documents] = local.watch.promises().filter(({ unknownSince }) => unknownSince !== undefined);
    expect(documents?.name).toBe('no document lost');
    expect(local.clock.now() - documents!.unknownSince!).toBeGreaterThan(9 * minute);
  });

  it('jobs that begin as soon as another on their host has ended, and are lost while GitHub is down: card, journal and incident count the same', async () => {
    const { local, control, incident, until } = await open('one after the other');
    const { queue } = local.fleet.codeHost.registry;
    const lostByJournal = new Set<number>();
    local.world.engine.journal.subscribe(({ source, name, subject = '' }) => {
      if (source === 'platform.job' && name === 'lost') lostByJournal.add(Number(subject.slice('job-'.length)));
    });
    // More than hosts: the last follow another.
    await control('queue-jobs', { count: 10, minutes: 6 });
    const last = queue.jobs.at(-1)!;
    await until('the last job runs', () => last.state === 'running', 40);
    await control('platform-down', { on: true });
    await until('its lease is over', () => last.endedAt !== undefined, 20);
    const { fleet } = await local.readState(false);
    const { steps } = incident(/^GitHub is down/);
    expect(lostByJournal).toContain(last.id);
    expect(fleet.lostJobs).toBe(lostByJournal.size);
    expect(steps.flatMap(({ kind, by, about }) => (kind === 'job-lost' ? [`${about} ${by}`] : [])).sort()).toEqual(
      [...lostByJournal].map((id) => `job/${id} by GitHub`).sort(),
    );
  }, 300_000);

  it('a job that is ended on a machine that works, while GitHub is there, is lost by us: its incident ended badly, and the promise is broken', async () => {
    const { local, control, incident, until } = await open('our fault');
    const { queue } = local.fleet.codeHost.registry;
    const promise = async () =>
      (await local.readState(false)).promises.find(({ name }) => name === 'no job lost by us')!.kept;
    await control('queue-jobs', { count: 1, minutes: 60 });
    await until('the job runs', () => queue.jobs.some(({ state }) => state === 'running'), 20);
    const instance = queue.jobs.find(({ state }) => state === 'running')!.runnerName!;
    await control('terminate-instance', { instance });
    expect(await promise()).toBe(true);
    // As an agent would that stops its runner before the job has ended.
    for (const process of local.world.machines.get(instance)!.processes())
      if (process.name.startsWith('Runner.')) process.signal('SIGKILL');
    await until('its incident has ended', () => incident(/^You terminated/).endedAt !== undefined, 60);
    const { verdict, steps } = incident(/^You terminated/);
    expect(verdict).toEqual({ state: 'bad', text: expect.stringMatching(/Job 1 was lost/) });
    expect(steps.filter(({ kind }) => kind === 'job-lost')).toMatchObject([{ about: 'job/1', by: 'by us' }]);
    expect(await promise()).toBe(false);
  }, 300_000);

  it('three zones are lost one after the other, each when the one before is made good: no document is lost, and jobs only with their hardware', async () => {
    const { local, control, incident, until } = await open('three zones', true);
    const { queue } = local.fleet.codeHost.registry;
    /** Machines that were lost with their zone. */
    const struck = new Set<string>();
    for (const zone of ['eu-west-1a', 'eu-west-1b', 'eu-west-1c']) {
      await control('queue-jobs', { count: 3, minutes: 20 });
      await until('jobs run', () => queue.jobs.some(({ state }) => state === 'running'), 20);
      const title = new RegExp(`${zone} is lost`);
      for (const one of local.world.observe.members()) if (one.zone === zone) struck.add(one.instanceId);
      await control('lose-zone', { zone, lost: true });
      await local.clock.advance(30 * minute);
      await control('lose-zone', { zone, lost: false });
      await local.clock.advance(minute);
      expect(incident(title).verdict).toMatchObject({
        state: 'open',
        text: expect.stringMatching(/is back, but 2 of 3 masters are in eu-west-1\w, whose loss would be final/),
      });
      await until(`${zone} is made good`, () => incident(title).endedAt !== undefined, 60);
      expect(incident(title).verdict.text).toMatch(/None of \d+ acknowledged documents are lost\.$/);
    }
    const lost = queue.jobs.filter(({ state }) => state === 'lost');
    expect(lost.filter(({ runnerName }) => !struck.has(runnerName ?? ''))).toEqual([]);
    expect(local.cluster.colour()).toBe('green');
    expect(local.watch.promises().filter(({ kept }) => !kept)).toEqual([]);
  }, 600_000);
});
