import { asFetch } from '@drover/cloud-engine';
import type { Clients, World } from '@drover/cloud-world';
import type { Clock } from '@drover/core';
import type { ClusterStage, FleetStage } from '@drover/stage/testing';
import { main } from '../src/main.ts';
import { type Answer, memoryIo } from './memory-io.test-support.ts';

// A command loads its code when it runs, while the simulated time of these tests passes: so it is loaded before.
import '@drover/operator/cluster/destroy';
import '@drover/operator/cluster/doctor/doctor';
import '@drover/operator/cluster/release';
import '@drover/operator/cluster/roll';
import '@drover/operator/cluster/rotate-authority';
import '@drover/operator/cluster/upgrade';
import '@drover/operator/fleet/cost';
import '@drover/operator/fleet/destroy';
import '@drover/operator/fleet/doctor/doctor';
import '@drover/operator/fleet/function-log';
import '@drover/operator/fleet/jobs';
import '@drover/operator/fleet/platform';
import '@drover/operator/fleet/repair';
import '@drover/operator/fleet/status';
import '@drover/operator/fleet/why/why';
import '@drover/operator/image/image';
import '@drover/operator/output/output';

/** Runs the command as an operator of a staged fleet would, on the stage's own clock and network. */
export const drover = ({ fleet, aws }: FleetStage, ...argv: string[]): Promise<Answer> =>
  run({ world: fleet.world, clock: fleet.clock, aws, drive: (work) => fleet.drive(work, 120 * 60_000) }, argv);

/** The same for a staged search cluster. */
export const droverOnCluster = (stage: ClusterStage, ...argv: string[]): Promise<Answer> => run(deskAt(stage), argv);

/** The same with a Ctrl-C after some time. */
export async function droverInterrupted(stage: ClusterStage, afterMs: number, ...argv: string[]): Promise<Answer> {
  const stop = new AbortController();
  stage.clock.after(afterMs, () => stop.abort());
  return await run(deskAt(stage), argv, stop.signal);
}

const deskAt = (stage: ClusterStage): Place => ({
  world: stage.world,
  clock: stage.clock,
  aws: stage.aws,
  drive: (work) => stage.drive(work),
});

interface Place {
  readonly world: World;
  readonly clock: Clock;
  readonly aws: Clients;
  drive<T>(work: Promise<T>): Promise<T>;
}

async function run(
  { world, clock, aws, drive }: Place,
  argv: readonly string[],
  signal = new AbortController().signal,
): Promise<Answer> {
  const { io, said } = memoryIo({
    clock,
    fetch: asFetch(world.network.from({ kind: 'operator', name: 'operator' })),
    aws: async () => ({ ...aws, secrets: aws.secretsmanager }),
  });
  const exitCode = await drive(main([...argv], { ...io, signal }));
  return { exitCode, ...said };
}
