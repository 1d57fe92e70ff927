import type { DeployedFleet } from '@drover/stage/fleet';
import type { Kept } from './one-runner.ts';

const minute = 60_000;

/** One job's life on an empty fleet in jobs mode: counted, an instance launched for it, run, the instance gone. */
export async function playOneJob(fleet: DeployedFleet): Promise<readonly Kept[]> {
  const { registry } = fleet.codeHost;
  await fleet.deploy();
  await fleet.drive(fleet.clock.sleep(3 * minute), 4 * minute);
  const job = registry.queue.enqueue({ durationMs: 3 * minute, runsOn: [fleet.groupName] });
  await fleet.until('the job is over', () => job.state === 'completed' || job.state === 'lost', 90 * minute);
  await fleet.until(
    'the group is empty',
    () => fleet.world.observe.group(fleet.groupName)!.members.size === 0,
    60 * minute,
  );
  return [
    { promise: 'the job was completed', kept: job.state === 'completed' },
    { promise: 'nothing is left to launch', kept: fleet.world.observe.group(fleet.groupName)!.desiredCapacity === 0 },
  ];
}
