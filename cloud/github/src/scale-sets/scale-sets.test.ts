import { describe, expect, it } from 'vitest';
import { minutes, org } from '../code-host.test-support.ts';
import { at, ScaleSetStage } from './scale-set-stage.test-support.ts';

describe('a job of a scale set', () => {
  it('is assigned to the set, runs on a just-in-time runner of the set, and its client learns of each step', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create();
    const session = await stage.openSession(set);
    expect(session.opened.statistics.totalAssignedJobs).toBe(0);

    const job = stage.host.registry.queue.enqueue({ durationMs: 10 * minutes, runsOn: ['linux'] });
    expect(await session.next()).toEqual(['JobAssigned job-1']);
    expect(stage.host.scaleSets.statistics(set)).toMatchObject({ totalAssignedJobs: 1, totalRunningJobs: 0 });

    const { id } = await stage.addRunner(set, 'i-1');
    const listener = stage.connect(id);
    await stage.clock.advance(5_000);
    listener.connection.run(job).started();
    expect(await session.next()).toEqual(['JobStarted job-1']);
    expect(await stage.call(`DELETE _apis/distributedtask/pools/0/agents/${id}`)).toMatchObject({ status: 400 });

    listener.connection.run(job).complete();
    expect(await session.next()).toEqual(['JobCompleted job-1 succeeded']);
    expect(stage.host.scaleSets.statistics(set)).toMatchObject({ totalAssignedJobs: 0, totalRegisteredRunners: 0 });
    expect(job).toMatchObject({ state: 'completed', runnerName: 'i-1' });
    expect(stage.host.registry.queue.counts).toMatchObject({ queued: 1, completed: 1, lost: 0 });
    expect(await stage.call(`DELETE ${at(set)}/sessions/${session.id}`)).toMatchObject({ status: 204 });
    expect(await stage.call(`DELETE ${at(set)}`)).toMatchObject({ status: 204 });
    expect(org).toBe(set.level);
  });
});
