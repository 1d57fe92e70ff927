import { FleetStage } from '@drover/stage/testing';
import { describe, expect, it } from 'vitest';

const minute = 60_000;
const inputs = { scalingMode: 'jobs', asgMinSize: 0, asgMaxSize: 10, idleRunnersTargetCount: 0 } as const;

describe('a fleet in jobs mode', () => {
  it('a job on an empty fleet gets a fresh instance, which goes when the job is done', async () => {
    const stage = await FleetStage.open(inputs);
    await stage.pass(2);
    const job = stage.fleet.codeHost.registry.queue.enqueue({ durationMs: 3 * minute, runsOn: ['runners'] });
    await stage.fleet.until('the job is done', () => job.state === 'completed', 15 * minute);
    await stage.pass(5);
    expect(job.state).toBe('completed');
    expect(stage.group.members.size).toBe(0);
  });
});
