import type { Job, RunnerRegistry } from '@drover/cloud-github';
import { describe, expect, it } from 'vitest';
import { CheckedFleetStage } from '../../../simulation/src/stories/checked-fleet-stage.ts';
import { FleetCheckers } from './fleet-checkers.ts';

const minute = 60_000;
const inputs = { scalingMode: 'jobs', asgMinSize: 0, asgMaxSize: 2, idleRunnersTargetCount: 1 } as const;

describe('the checkers of a fleet in jobs mode find', { timeout: 300_000 }, () => {
  it('an instance for nothing, two jobs on one machine, a runner that is left and a job that is left', async () => {
    const stage = await CheckedFleetStage.open(inputs);
    // As if no one had asked for the one idle runner.
    const limits = { allowedDrainTimeMs: 900_000, minSize: 0, maxSize: 2 };
    const strict = new FleetCheckers(stage.fleet, { ...limits, jobs: { idleTarget: 0 } });
    await stage.untilOnline(1);
    const [instanceId] = stage.online;

    await stage.pass(15);
    const early = [...strict.violations];
    await stage.pass(10);
    expect(early).toEqual([]);
    expect(strict.violations).toEqual([
      expect.stringContaining(`instance ${instanceId} has had no other reason than surplus for 20 minutes`),
    ]);
    expect(stage.checkers.violations).toEqual([]);

    const planted = 'i-0000000000000000a';
    for (const _ of [1, 2]) await serveAs(stage, planted);
    expect(stage.checkers.violations).toEqual([
      expect.stringMatching(new RegExp(`^instance ${planted} had the jobs \\d+ and \\d+$`)),
    ]);

    const { scaleSets, registry } = stage.fleet.codeHost;
    const left = 'i-0000000000000000b';
    scaleSets.addRunner(scaleSets.named('runners')!, left);
    const job = registry.queue.enqueue({ durationMs: minute, runsOn: ['nobody'] });
    stage.checkers.jobs!.checkAtRest();
    expect(stage.checkers.violations.slice(1)).toEqual([
      `the jobs ${job.id} still wait for a runner`,
      `runner ${left} is left at the service without an instance that serves`,
    ]);
    await stage.pass(23);
    expect(stage.checkers.violations.at(-1)).toContain(`runner ${left} is left although its instance is gone`);
  });
});

/** A runner that is none of the fleet's takes the name of one of its machines and serves a job. */
async function serveAs({ fleet }: CheckedFleetStage, name: string): Promise<void> {
  const { registry, scaleSets } = fleet.codeHost;
  const runner = scaleSets.addRunner(scaleSets.named('runners')!, name)!;
  let job: Job | undefined;
  const session: Parameters<RunnerRegistry['connect']>[1] = {
    deliver(delivered) {
      const run = connection.run(delivered);
      run.acquire();
      run.started();
      job = delivered;
      fleet.clock.after(minute, () => run.complete());
    },
    revoked() {},
  };
  const connection = registry.connect(runner.id, session) as Exclude<ReturnType<typeof registry.connect>, string>;
  // The fleet's own runner is idle, too, and may be given the first ones.
  while (job === undefined) {
    registry.queue.enqueue({ durationMs: minute, runsOn: ['runners'] });
    await fleet.drive(fleet.clock.sleep(2 * minute), 5 * minute);
  }
}
