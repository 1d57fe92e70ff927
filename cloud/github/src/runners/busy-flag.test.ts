import { describe, expect, it } from 'vitest';
import { HostStage, minutes, org, type TestListener } from '../code-host.test-support.ts';

const path = (id: number) => `/orgs/${org}/actions/runners/${id}`;

describe('the busy flag', () => {
  it('[rule 18] reads false for up to a minute after a job was assigned, on every runner for another time', async () => {
    const { stage, ids } = await working(40, { flipChance: 0 });
    const seenAt = new Map<number, number>();
    for (let second = 0; second <= 70; second += 5) {
      for (const id of ids) if (!seenAt.has(id) && (await busy(stage, id))) seenAt.set(id, second);
      await stage.clock.advance(5_000);
    }

    const delays = [...seenAt.values()].sort((a, b) => a - b);
    expect(delays).toHaveLength(40);
    expect(delays.at(0)).toBeLessThan(10);
    expect(delays.at(-1)).toBeGreaterThan(45);
    expect(delays.at(-1)).toBeLessThanOrEqual(65);
  });

  it('[rule 18] the busy flag can flip to false in the middle of a job and come back', async () => {
    const { stage, ids, listeners } = await working(1, {
      flipChance: 1,
      flipMs: { least: 2 * minutes, most: 2 * minutes },
    });
    const readings: boolean[] = [];
    for (let count = 0; count < 130; count++) {
      readings.push(await busy(stage, ids[0]!));
      listeners[0]!.connection.run(listeners[0]!.jobs[0]!).renew();
      await stage.clock.advance(30_000);
    }

    const changes = readings.filter((reading, index) => reading !== (readings[index - 1] ?? false));
    expect(changes).toEqual([true, false, true]);
    expect(stage.host.registry.queue.jobs[0]!.state).toBe('running');
  });

  it('[rule 18] a DELETE while the busy flag reads false succeeds and the job is lost; while it reads true it is refused with 422', async () => {
    const lagging = await working(1, { mostLagMs: 60_000, flipChance: 0 }, 7);
    const current = await working(1, { mostLagMs: 0, flipChance: 0 });
    expect(await busy(lagging.stage, lagging.ids[0]!)).toBe(false);

    const removed = await lagging.stage.ask(`DELETE ${path(lagging.ids[0]!)}`);
    const refused = await current.stage.ask(`DELETE ${path(current.ids[0]!)}`);

    expect(removed.status).toBe(204);
    expect(lagging.stage.host.registry.queue.losses).toMatchObject([{ cause: 'runner-removed', workerExisted: true }]);
    expect(refused).toMatchObject({
      status: 422,
      body: { message: 'Bad request - Runner "runner-1" is still running a job"' },
    });
    expect(current.stage.host.registry.queue.jobs[0]!.state).toBe('running');
  });

  it('the busy flag reads true for a moment after the job', async () => {
    const { stage, ids, listeners } = await working(20, { mostLagMs: 0, flipChance: 0 });
    for (const listener of listeners) listener.connection.run(listener.jobs[0]!).complete();
    const readings = await Promise.all(ids.map((id) => busy(stage, id)));
    expect(readings).toContain(true);

    await stage.clock.advance(10_000);

    expect(await Promise.all(ids.map((id) => busy(stage, id)))).toEqual(ids.map(() => false));
  });

  it('shows the same in the list as at the runner', async () => {
    const { stage, ids } = await working(5, {});
    for (let count = 0; count < 10; count++) {
      const { body } = await stage.ask(`GET /orgs/${org}/actions/runners`);
      const single = await Promise.all(ids.map((id) => busy(stage, id)));
      expect(body.runners.map((runner: { busy: boolean }) => runner.busy)).toEqual(single);
      await stage.clock.advance(10_000);
    }
  });
});

/** Runners that each have an hour's job with a Worker. */
async function working(count: number, busyFlag: object, seed = 1) {
  const stage = new HostStage({ seed, busyFlag, pointsPerMinute: 1_000_000, perHour: 1_000_000 });
  const ids = stage.register(count);
  const listeners: TestListener[] = ids.map((id) => stage.connect(id));
  for (let index = 0; index < count; index++) stage.host.registry.queue.enqueue({ durationMs: 60 * minutes });
  await stage.clock.advance(3_000);
  for (const listener of listeners) listener.connection.run(listener.jobs[0]!).started();
  return { stage, ids, listeners };
}

const busy = async (stage: HostStage, id: number): Promise<boolean> => (await stage.ask(`GET ${path(id)}`)).body.busy;
