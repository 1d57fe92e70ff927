import { describe, expect, it } from 'vitest';
import { hours, minutes } from '../code-host.test-support.ts';
import type { Job } from '../model.ts';
import { at, ScaleSetStage } from './scale-set-stage.test-support.ts';

const job = (stage: ScaleSetStage, durationMs = 10 * minutes): Job =>
  stage.host.registry.queue.enqueue({ durationMs, runsOn: ['linux'] });

describe('a job of a scale set', () => {
  it('a job of a scale set is assigned, runs on a just-in-time runner of the set, and the client learns of each step', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create();
    const session = await stage.openSession(set);
    expect(session.opened.statistics.totalAssignedJobs).toBe(0);

    const one = job(stage);
    expect(await session.next()).toEqual(['JobAssigned job-1']);
    expect(stage.host.scaleSets.statistics(set)).toMatchObject({ totalAssignedJobs: 1, totalRunningJobs: 0 });

    const { id } = await stage.addRunner(set, 'i-1');
    const listener = stage.connect(id);
    await stage.clock.advance(5_000);
    listener.connection.run(one).started();
    expect(await session.next()).toEqual(['JobStarted job-1']);
    expect(stage.host.scaleSets.statistics(set)).toMatchObject({ totalRunningJobs: 1, totalBusyRunners: 1 });

    listener.connection.run(one).complete({ result: 'failed' });
    expect(await session.next()).toEqual(['JobCompleted job-1 failed']);
    expect(stage.host.scaleSets.statistics(set)).toMatchObject({ totalAssignedJobs: 0, totalRegisteredRunners: 0 });
    expect(stage.host.registry.queue.counts).toMatchObject({ queued: 1, completed: 1, lost: 0 });
  });

  it('goes to no other runner, and a runner of the set takes one job of the set and no others', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create();
    const session = await stage.openSession(set);
    const plain = stage.connect(stage.register(1, 'plain-', ['linux'])[0]!);
    await session.next();
    const ofSet = stage.host.registry.queue.enqueue({ durationMs: minutes, runsOn: ['linux', 'linux'] });
    await session.next();
    const own = stage.connect((await stage.addRunner(set, 'i-1')).id);
    const other = stage.host.registry.queue.enqueue({ durationMs: minutes });
    await stage.clock.advance(5_000);

    // The plain runner has the label too: it was free before the set had the job.
    expect(plain.jobs).toEqual([ofSet]);
    expect(own.jobs).toEqual([]);
    const second = job(stage);
    await session.next();
    await stage.clock.advance(5_000);
    expect(own.jobs).toEqual([second]);
    own.connection.run(second).complete();
    job(stage);
    await session.next();
    await stage.clock.advance(5_000);
    expect([own.jobs.length, other.state]).toEqual([1, 'queued']);
  });

  it('a job of a scale set is not assigned while no client has a session', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create();
    const session = await stage.openSession(set);
    await session.poll();
    await session.close();
    job(stage);
    expect(stage.host.scaleSets.statistics(set)).toMatchObject({ totalAvailableJobs: 1, totalAssignedJobs: 0 });
    await stage.clock.advance(hours);
    await stage.authenticate();
    expect((await stage.openSession(set)).opened.statistics).toMatchObject({ totalAssignedJobs: 1 });
  });

  it('a job that begins to wait while its scale set announces a capacity of 0 stays queued when the capacity rises, also in a new session', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create();
    const session = await stage.openSession(set);
    const before = job(stage);
    await session.poll(0);
    const stranded = job(stage);
    await session.poll(0);
    expect(stage.host.scaleSets.statistics(set)).toMatchObject({ totalAvailableJobs: 1, totalAssignedJobs: 0 });

    await session.poll(10);
    await session.close();
    const after = job(stage);
    await (await stage.openSession(set)).poll(10);

    expect([before, after].every((each) => set.assigned.has(each))).toBe(true);
    expect([stranded.state, set.assigned.size]).toEqual(['queued', 2]);
  });

  it('an assigned job is taken back every five minutes, three times, and then waits until a runner of the set appears', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create();
    const session = await stage.openSession(set);
    const waiting = job(stage);
    const told: [number, string][] = [];
    const began = stage.clock.now();
    while (stage.clock.now() < began + 30 * minutes)
      for (const event of await session.next())
        told.push([Math.floor((stage.clock.now() - began) / minutes), event.replace(' job-1', '')]);

    expect(told).toEqual([
      [0, 'JobAssigned'],
      [5, 'JobCompleted canceled'],
      [5, 'JobAssigned'],
      [10, 'JobCompleted canceled'],
      [10, 'JobAssigned'],
      [15, 'JobCompleted canceled'],
    ]);
    expect(stage.host.scaleSets.statistics(set)).toMatchObject({ totalAssignedJobs: 0, totalAvailableJobs: 1 });
    const listener = stage.connect((await stage.addRunner(set, 'i-1')).id);
    expect(await session.next()).toEqual(['JobAssigned job-1']);
    await stage.clock.advance(5_000);
    expect(listener.jobs).toEqual([waiting]);
  });

  it('a job that is given to a listener which does not take it stays with the set', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create();
    const session = await stage.openSession(set);
    const one = job(stage);
    await session.next();
    const deaf = stage.connect((await stage.addRunner(set, 'i-1')).id);
    deaf.deliver = () => {};
    await stage.clock.advance(70_000);

    expect([one.state, one.scaleSetId]).toEqual(['dispatched', set.id]);
    expect(stage.host.scaleSets.statistics(set)).toMatchObject({ totalAssignedJobs: 1, totalRunningJobs: 0 });
  });

  it('a job that no runner takes for a day is given up, and the client learns it', async () => {
    const stage = new ScaleSetStage();
    const session = await stage.openSession(await stage.create());
    const one = job(stage);
    await session.next();
    await stage.clock.advance(26 * hours);

    expect([one.state, one.lostBecause]).toEqual(['lost', 'queued-too-long']);
    expect(stage.host.scaleSets.statistics(session.set).totalAssignedJobs).toBe(0);
  });
});

describe('a job of a scale set on an Enterprise Server', () => {
  it('a job on Enterprise Server is offered, and assigned when the client acquires it; what is not acquired is offered again', async () => {
    const stage = new ScaleSetStage({ apiUrl: 'https://ghe.example.com/api/v3' });
    const set = await stage.create();
    const session = await stage.openSession(set);
    const [first, second] = [job(stage), job(stage)];
    const { events } = await session.poll();
    expect(await session.next()).toEqual(['JobAvailable job-1', 'JobAvailable job-2']);
    expect(events.map(({ runnerRequestId }) => runnerRequestId)).toEqual([first.id, second.id]);
    expect(stage.host.scaleSets.statistics(set)).toMatchObject({ totalAvailableJobs: 2, totalAssignedJobs: 0 });

    const acquire = () => stage.call(`POST ${at(set)}/acquirejobs`, { body: [first.id, 99], token: session.token });
    expect(await acquire()).toMatchObject({ status: 200, body: { count: 1, value: [first.id] } });
    expect(await acquire()).toMatchObject({ status: 200, body: { count: 0, value: [] } });
    expect(await stage.call(`POST ${at(set)}/acquirejobs`, { body: [2] })).toMatchObject({ status: 401 });
    expect(await session.next()).toEqual(['JobAssigned job-1']);
    await stage.clock.advance(4.5 * minutes);
    expect(await session.next()).toEqual(expect.arrayContaining(['JobAvailable job-2']));
  });
});

describe('a just-in-time runner', () => {
  it('a just-in-time runner has a configuration of its own, of 4 kB and more, and a name that is not taken', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create();
    const { jitConfig, id } = await stage.addRunner(set, 'i-1');
    const again = await stage.call(`POST ${at(set)}/generatejitconfig`, { body: { name: 'i-1', workFolder: '_work' } });
    const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64').toString());
    const files = decode(jitConfig);

    expect(again.status).toBe(409);
    expect(again.body.typeName).toContain('AgentExistsException');
    expect(Object.keys(files)).toEqual(['.runner', '.credentials', '.credentials_rsaparams']);
    expect(decode(files['.runner'])).toMatchObject({ AgentId: String(id), Ephemeral: 'True', DisableUpdate: 'True' });
    expect(jitConfig.length).toBeGreaterThan(4_000);
    expect(jitConfig.length).toBeLessThan(4_800);
  });

  it('a just-in-time runner is read and found by id and name, and removed unless it has a job; what is unknown is removed already', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create();
    const session = await stage.openSession(set);
    const agents = '_apis/distributedtask/pools/0/agents';
    const { id } = await stage.addRunner(set, 'i-1');
    const named = await stage.call(`GET ${agents}?agentName=i-1`);
    const read = await stage.call(`GET ${agents}/${id}`);
    expect(named.body).toMatchObject({ count: 1, value: [{ id, name: 'i-1', runnerScaleSetId: set.id }] });
    expect(read.body).toMatchObject({ id, name: 'i-1' });

    const listener = stage.connect(id);
    const one = job(stage);
    await session.next();
    const busy = await stage.call(`DELETE ${agents}/${id}`);
    expect(busy.status).toBe(400);
    expect(busy.body.typeName).toContain('JobStillRunningException');
    await stage.clock.advance(5_000);
    listener.connection.run(one).complete();

    const gone = await stage.call(`GET ${agents}/${id}`);
    expect([gone.status, gone.body.typeName]).toEqual([404, expect.stringContaining('AgentNotFoundException')]);
    expect((await stage.call(`DELETE ${agents}/${id}`)).status).toBe(204);
    const idle = await stage.addRunner(set, 'i-2');
    expect((await stage.call(`DELETE ${agents}/${idle.id}`)).status).toBe(204);
    expect(stage.host.registry.runners).toEqual([]);
  });
});
