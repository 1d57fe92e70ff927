import { describe, expect, it } from 'vitest';
import { HostStage, hours, minutes, org, type TestListener, withJob } from '../code-host.test-support.ts';
import type { Job } from '../model.ts';

const runner = (id: number) => `/orgs/${org}/actions/runners/${id}`;

describe('dispatch', () => {
  it('gives a job to one connected runner that has its labels, within seconds', async () => {
    const stage = new HostStage();
    const [plain] = stage.register(1, 'plain-', []);
    const [large] = stage.register(1, 'large-', ['Large']);
    const listeners = [stage.connect(plain!), stage.connect(large!)];

    const job = stage.host.registry.queue.enqueue({ durationMs: 1 * minutes, labels: ['self-hosted', 'large'] });
    await stage.clock.advance(3_000);

    expect(listeners.map(({ jobs }) => jobs)).toEqual([[], [job]]);
    expect(job).toMatchObject({ state: 'dispatched', runnerName: 'large-1' });
  });

  it('gives no new job to a runner whose labels were taken, which finishes the one it has', async () => {
    const stage = new HostStage();
    const { registry } = stage.host;
    const { token } = registry.mintToken('registration');
    const labels = ['self-hosted', 'Linux', 'X64', 'instance_id:i-1'];
    const { id } = registry.register({ token, name: 'i-1', labels, noDefaultLabels: true });
    const listener = stage.connect(id);
    const first = registry.queue.enqueue({ durationMs: 1_000 });
    await stage.clock.advance(3_000);

    const { body } = await stage.ask(`PUT ${runner(id)}/labels`, { body: { labels: ['instance_id:i-1'] } });
    const second = registry.queue.enqueue({ durationMs: 1_000 });
    await finishAll(stage, listener, 1);
    await stage.clock.advance(5 * minutes);

    expect(body).toEqual({ total_count: 1, labels: [{ id: 1, name: 'instance_id:i-1', type: 'custom' }] });
    expect([first.state, second.state]).toEqual(['completed', 'queued']);
    await stage.ask(`PUT ${runner(id)}/labels`, { body: { labels } });
    expect(second.state).toBe('dispatched');
  });

  it('takes only a list of at most 100 labels', async () => {
    const stage = new HostStage();
    const [id] = stage.register(1);

    const answers = await Promise.all([
      stage.ask(`PUT ${runner(id!)}/labels`, { body: {} }),
      stage.ask(`PUT ${runner(id!)}/labels`, { body: { labels: Array.from({ length: 101 }, String) } }),
      stage.ask(`PUT ${runner(99)}/labels`, { body: { labels: [] } }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 404]);
  });

  it('keeps jobs that no runner can take, oldest first, until one comes', async () => {
    const stage = new HostStage();
    const { queue } = stage.host.registry;
    const jobs = Array.from({ length: 3 }, () => queue.enqueue({ durationMs: 1_000 }));
    expect(queue.waiting).toEqual(jobs);

    const [id] = stage.register(1);
    const listener = stage.connect(id!);
    await finishAll(stage, listener, 3);

    expect(listener.jobs).toEqual(jobs);
    expect(queue.waiting).toEqual([]);
    expect(queue.counts).toMatchObject({ queued: 3, dispatched: 3, completed: 3, lost: 0 });
  });

  it('a job with rare labels neither holds up the others nor is forgotten', async () => {
    const stage = new HostStage();
    const { queue } = stage.host.registry;
    const rare = queue.enqueue({ durationMs: 1_000, labels: ['gpu'] });
    const common = queue.enqueue({ durationMs: 1_000 });
    const [id] = stage.register(1);
    stage.connect(id!);
    await stage.clock.advance(5_000);
    expect([rare.state, common.state]).toEqual(['queued', 'dispatched']);

    const [gpu] = stage.register(1, 'gpu-', ['gpu']);
    stage.connect(gpu!);

    expect(rare).toMatchObject({ state: 'dispatched', runnerName: 'gpu-1' });
  });

  it('gives a freed runner the oldest of the jobs that it can take', async () => {
    const stage = new HostStage();
    const { queue } = stage.host.registry;
    const [id] = stage.register(1, 'a-', ['one', 'two']);
    const listener = stage.connect(id!);
    queue.enqueue({ durationMs: 1_000 });
    const second = queue.enqueue({ durationMs: 1_000, labels: ['two'] });
    queue.enqueue({ durationMs: 1_000, labels: ['one'] });
    queue.enqueue({ durationMs: 1_000 });

    await finishAll(stage, listener, 1);

    expect(second.state).toBe('dispatched');
  });

  it('serves thousands of runners without looking at each of them for every job', async () => {
    const stage = new HostStage();
    const { queue } = stage.host.registry;
    const ids = stage.register(5_000);
    const listeners = ids.map((id) => stage.connect(id));
    for (let count = 0; count < 20_000; count++) queue.enqueue({ durationMs: 1_000 });
    await stage.clock.advance(3_000);

    expect(listeners.every(({ jobs }) => jobs.length === 1)).toBe(true);
    expect(queue.counts).toMatchObject({ queued: 20_000, dispatched: 5_000 });
  });

  it('gives jobs up after a day in the queue', async () => {
    const stage = new HostStage();
    const job = stage.host.registry.queue.enqueue({ durationMs: 1_000 });

    await stage.clock.advance(26 * hours);

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'queued-too-long' });
    expect(stage.host.registry.queue.waiting).toEqual([]);
  });
});

describe('an outage of GitHub', () => {
  it.each(['error', 'timeout'] as const)(
    'an outage of GitHub of kind %s stops dispatch, and jobs start when it is over',
    async (kind) => {
      const stage = new HostStage();
      const [id] = stage.register(1);
      stage.connect(id!);
      const untilMs = stage.clock.now() + 20 * minutes;
      stage.engine.faults.add({ service: 'platform', untilMs, effect: { kind } });

      const jobs = Array.from({ length: 5 }, () => stage.host.registry.queue.enqueue({ durationMs: 1_000 }));
      await stage.clock.advance(19 * minutes);
      expect(jobs.map(({ state }) => state)).toEqual(jobs.map(() => 'queued'));
      await stage.clock.advance(2 * minutes);

      expect(jobs[0]!.state).toBe('dispatched');
      const strikes = stage.engine.journal.entries.filter((entry) => entry.kind === 'fault');
      expect(strikes.length).toBeLessThan(50);
    },
  );

  it('stops registration and every request, with a response that is not JSON', async () => {
    const stage = new HostStage();
    const { token } = stage.host.registry.mintToken('registration');
    const disarm = stage.engine.faults.add({ service: 'platform', effect: { kind: 'error' } });
    const register = () =>
      stage.ask('POST /actions/runner-registration', {
        authorization: `RemoteAuth ${token}`,
        body: { url: `https://github.com/${org}`, runner_event: 'register' },
      });

    const down = [await register(), await stage.ask(`GET /orgs/${org}/actions/runners`)];
    disarm();

    for (const answer of down) {
      expect(answer.status).toBe(502);
      expect(answer.headers['content-type']).toContain('text/html');
    }
    expect((await register()).status).toBe(200);
  });

  it('keeps listeners from connecting until it is over', async () => {
    const stage = new HostStage();
    const [id] = stage.register(1);
    const disarm = stage.engine.faults.add({ service: 'platform', effect: { kind: 'timeout' } });
    const session = { deliver: () => {}, revoked: () => {} };

    expect(stage.host.registry.connect(id!, session)).toBe('unreachable');
    disarm();

    expect(stage.host.registry.connect(id!, session)).toBeTypeOf('object');
  });

  it('leaves every request of a runner without response, and counts them in a row for each of its jobs', async () => {
    const stage = new HostStage();
    const { listener, job } = await withJob(stage);
    const run = listener.connection.run(job);
    run.started();
    const disarm = stage.engine.faults.add({ service: 'platform', effect: { kind: 'error' } });

    const answers = [run.renew(), run.renew(), run.complete()];
    expect([answers, job.unanswered, job.state]).toEqual([Array(3).fill('unavailable'), 3, 'running']);
    disarm();

    expect([run.renew(), job.unanswered]).toEqual(['ok', 0]);
  });

  it('outlasts the lease of a job, which is lost then; the loss shows how many requests got no response', async () => {
    const stage = new HostStage();
    const { listener, job } = await withJob(stage);
    const run = listener.connection.run(job);
    run.started();
    stage.engine.faults.add({ service: 'platform', effect: { kind: 'timeout' } });
    for (let time = 0; time < 5; time++) run.renew();

    await stage.clock.advance(10 * minutes);

    const loss = stage.host.registry.queue.lossOf(job);
    expect(loss).toMatchObject({ cause: 'runner-vanished', unanswered: 5 });
  });

  it('a slow GitHub delays the message of a job', async () => {
    const stage = new HostStage();
    const [id] = stage.register(1);
    const listener = stage.connect(id!);
    stage.engine.faults.add({ service: 'platform', effect: { kind: 'slow', ms: 2 * minutes } });

    stage.host.registry.queue.enqueue({ durationMs: 1_000 });
    await stage.clock.advance(2 * minutes);
    expect(listener.jobs).toEqual([]);
    await stage.clock.advance(3_000);

    expect(listener.jobs).toHaveLength(1);
  });
});

describe('a long run', () => {
  it('keeps a bounded number of ended jobs, and counts all of them', async () => {
    const stage = new HostStage({ keptJobs: 10 });
    const { queue } = stage.host.registry;
    const [id] = stage.register(1);
    const listener = stage.connect(id!);
    const ended: Job[] = [];
    queue.onEnded((job) => ended.push(job));

    for (let count = 0; count < 60; count++) queue.enqueue({ durationMs: 1_000 });
    await finishAll(stage, listener, 50);
    for (let count = 0; count < 10; count++) {
      await stage.clock.advance(3_000);
      listener.connection.run(listener.jobs.at(-1)!).complete({ lost: 'cancelled' });
    }

    expect(queue.jobs.length).toBeLessThanOrEqual(25);
    expect(queue.jobs.at(-1)!.id).toBe(60);
    expect(queue.counts).toEqual({
      queued: 60,
      dispatched: 60,
      completed: 50,
      lost: 10,
      lostBecause: { cancelled: 10 },
    });
    expect(ended).toHaveLength(60);
  });

  it('a long run is the same for the same seed', async () => {
    const story = async (seed: number) => {
      const stage = new HostStage({ seed });
      const ids = stage.register(10);
      const listeners = ids.map((id) => stage.connect(id));
      for (let count = 0; count < 30; count++) stage.host.registry.queue.enqueue({ durationMs: 5 * minutes });
      const seen: unknown[] = [];
      for (let count = 0; count < 20; count++) {
        await stage.clock.advance(10_000);
        for (const listener of listeners.slice(count % 10)) listener.connection.run(listener.jobs.at(-1)!).complete();
        seen.push((await stage.ask(`GET /orgs/${org}/actions/runners`)).body);
      }
      return `${stage.engine.journal.digest} ${JSON.stringify(seen)}`;
    };

    expect(await story(3)).toBe(await story(3));
    expect(await story(3)).not.toBe(await story(4));
  });
});

/** Completes jobs one after another as they arrive. */
async function finishAll(stage: HostStage, listener: TestListener, count: number): Promise<void> {
  for (let done = 0; done < count; done++) {
    await stage.clock.advance(3_000);
    listener.connection.run(listener.jobs[done]!).complete();
  }
}
