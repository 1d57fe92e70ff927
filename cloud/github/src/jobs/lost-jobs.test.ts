import { describe, expect, it } from 'vitest';
import { HostStage, minutes, org, withJob } from '../code-host.test-support.ts';

const runner = (id: number) => `/orgs/${org}/actions/runners/${id}`;

describe('a job whose listener stops', () => {
  it('[rule 18] was dispatched to a listener that was being stopped; not picked up within 60 s, it goes to another', async () => {
    const stage = new HostStage();
    const [stopping, other] = stage.register(2);
    const listener = stage.connect(stopping!);
    const { queue } = stage.host.registry;
    const job = queue.enqueue({ durationMs: 1 * minutes });

    listener.connection.close();
    await stage.clock.advance(5_000);
    const second = stage.connect(other!);
    await stage.clock.advance(54_000);

    expect(listener.jobs).toEqual([]);
    expect(second.jobs).toEqual([]);
    expect(job).toMatchObject({ state: 'dispatched', runnerName: 'runner-1' });
    await stage.clock.advance(6_000);
    expect(second.jobs).toEqual([job]);
    expect(job).toMatchObject({ state: 'dispatched', runnerName: 'runner-2' });
    expect(queue.counts.lost).toBe(0);
  });

  it('[rule 18] a job may be dispatched after its listener has disconnected', async () => {
    const job = await firstSeed(async (seed) => {
      const stage = new HostStage({ seed });
      const [id] = stage.register(1);
      stage.connect(id!).connection.close();
      await stage.clock.advance(100);
      const job = stage.host.registry.queue.enqueue({ durationMs: 1 * minutes });
      return job.state === 'dispatched' ? job : undefined;
    });

    expect(job.runnerName).toBe('runner-1');
  });

  it('comes back to its place when the runner vanished before the job could reach it', async () => {
    const stage = new HostStage();
    const [id] = stage.register(1);
    const { queue } = stage.host.registry;
    stage.connect(id!).connection.vanish();
    const first = queue.enqueue({ durationMs: 1 * minutes });
    const later = queue.enqueue({ durationMs: 1 * minutes });
    expect([first.state, later.state]).toEqual(['dispatched', 'queued']);

    await stage.clock.advance(2 * minutes);

    expect(queue.waiting).toEqual([first, later]);
  });
});

describe('a lost job', () => {
  it('names who removed the runner, and when: the dispatch gap can be distinguished from a fault', async () => {
    const stage = new HostStage();
    const [id] = stage.register(1);
    stage.connect(id!);
    const job = stage.host.registry.queue.enqueue({ durationMs: 10 * minutes });
    await stage.clock.advance(100);

    const answer = await stage.host.answer(
      {
        method: 'DELETE',
        host: 'api.github.com',
        path: runner(id!),
        query: '',
        headers: { authorization: `token ${stage.token}`, 'user-agent': 'x' },
        body: new Uint8Array(0),
      },
      { kind: 'function', name: 'runners_deregistration' },
    );

    expect(answer.status).toBe(204);
    const loss = stage.host.registry.queue.lossOf(job)!;
    expect(loss).toMatchObject({
      cause: 'runner-removed',
      workerExisted: false,
      runner: {
        removal: {
          why: 'api',
          by: { account: 'user ID 1', origin: { kind: 'function', name: 'runners_deregistration' } },
        },
      },
    });
    expect(loss.runner!.removal!.at - loss.job.dispatchedAt!).toBe(100);
  });

  it('shows a removal that came after the loss', async () => {
    const stage = new HostStage();
    const { listener, job } = await withJob(stage);
    listener.connection.vanish();
    await stage.clock.advance(11 * minutes);
    expect(stage.host.registry.queue.lossOf(job)).toMatchObject({
      cause: 'runner-vanished',
      runner: { removal: undefined },
    });

    await stage.ask(`DELETE ${runner(job.runnerId!)}`);

    expect(stage.host.registry.queue.lossOf(job)!.runner!.removal).toMatchObject({ why: 'api' });
  });

  it('says whether a Worker existed', async () => {
    const stage = new HostStage();
    const { listener, job } = await withJob(stage);
    const run = listener.connection.run(job);

    run.started();
    run.complete({ lost: 'cancelled' });

    expect(stage.host.registry.queue.lossOf(job)).toMatchObject({ cause: 'cancelled', workerExisted: true });
    expect(stage.host.registry.queue.losses.map(({ job: { id } }) => id)).toEqual([job.id]);
  });

  it('a job whose lease is not renewed is lost after ten minutes, and not before', async () => {
    const stage = new HostStage();
    const { listener, job } = await withJob(stage);
    const run = listener.connection.run(job);
    run.started();
    await stage.clock.advance(9 * minutes);
    run.renew();

    listener.connection.vanish();
    await stage.clock.advance(9.9 * minutes);
    expect(job.state).toBe('running');
    await stage.clock.advance(0.2 * minutes);

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'runner-vanished' });
  });

  it('a job whose listener vanished counts when its Worker completes it within the lease', async () => {
    const stage = new HostStage();
    const { listener, job } = await withJob(stage);
    listener.connection.vanish();
    await stage.clock.advance(9 * minutes);

    expect(listener.connection.run(job).complete()).toBe('ok');
    expect(job).toMatchObject({ state: 'completed', result: 'succeeded' });
  });

  it('a job that its listener received and did not acquire within 60 s goes to another runner', async () => {
    const stage = new HostStage();
    const [deaf, other] = stage.register(2);
    stage.host.registry.connect(deaf!, { deliver: () => {}, revoked: () => {} });
    const job = stage.host.registry.queue.enqueue({ durationMs: 1 * minutes });
    await stage.clock.advance(59_000);
    expect(job).toMatchObject({ state: 'dispatched', runnerName: 'runner-1' });

    const listener = stage.connect(other!);
    await stage.clock.advance(5_000);

    expect(listener.jobs).toEqual([job]);
  });

  it('a job that has ended is not changed by later messages', async () => {
    const stage = new HostStage();
    const { listener, job } = await withJob(stage);
    const run = listener.connection.run(job);
    run.complete({ lost: 'cancelled' });

    run.started();
    run.complete();

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'cancelled' });
    expect(stage.host.registry.queue.counts).toMatchObject({ completed: 0, lost: 1 });
  });
});

/** The first seed for which a thing happens that chance decides. */
async function firstSeed<T>(attempt: (seed: number) => Promise<T | undefined>): Promise<T> {
  for (let seed = 1; seed <= 50; seed++) {
    const found = await attempt(seed);
    if (found !== undefined) return found;
  }
  throw new Error('it happened with none of 50 seeds');
}
