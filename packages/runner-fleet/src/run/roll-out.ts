import { isDeepStrictEqual } from 'node:util';
import type { Clock, Logger } from '@drover/core';
import { labels, metrics, type ScalingMode } from '@drover/core/names/runner-fleet';
import { instanceOf } from '../decide/decide-reconcile.ts';
import { saysNoWorker } from '../decide/jobs/decide-round.ts';
import { decideRollout, type RolloutStep } from '../decide/rollout/decide-rollout.ts';
import type { GroupSize } from '../jobs-ports.ts';
import type {
  FleetMemory,
  GroupMembers,
  GroupProcesses,
  GroupReader,
  HostReports,
  Metrics,
  ReleaseMirror,
  RunnerDirectory,
} from '../ports.ts';
import { currentRunners } from './current-runners.ts';
import { failureFields } from './failure-fields.ts';

export interface RolloutPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly mode: ScalingMode;
  readonly group: GroupReader;
  readonly processes: GroupProcesses;
  readonly members: Pick<GroupMembers, 'markUnhealthy'>;
  readonly size: Pick<GroupSize, 'setDesired'>;
  readonly runners: Pick<RunnerDirectory, 'list' | 'findByName' | 'keepLabels' | 'remove'>;
  readonly mirror: Pick<ReleaseMirror, 'read'>;
  readonly reports: HostReports;
  readonly memory: FleetMemory;
  readonly metrics: Metrics;
  readonly mostAgeMs: number | undefined;
  readonly replacesAtRisk: boolean;
}

/** To spread instances evenly over zones the group would end some of them, whatever they do. */
const azRebalance = 'AZRebalance';

/** Replaces hosts that are not what the fleet is now. None of its steps ends a job; any of them may be its last. */
export async function rollOut(ports: RolloutPorts): Promise<void> {
  const group = await ports.group.read();
  if (group.suspendedProcesses?.includes(azRebalance) !== true) await ports.processes.suspend(azRebalance);
  const memory = await ports.memory.read();
  const { mode, mostAgeMs, replacesAtRisk } = ports;
  const ids = group.instances.filter(({ lifecycleState }) => lifecycleState === 'InService').map(({ id }) => id);
  const [listed, release, reports] = await Promise.all([
    mode === 'jobs' ? [] : currentRunners(ports, memory.runners),
    ports.mirror.read(),
    ports.reports.read(ids),
  ]);
  const runners = new Map(listed.map((runner) => [instanceOf(runner), runner]));
  const { bootFailures = [], retiring = {} } = memory;
  const facts = { mode, group, release, runners, reports, bootFailures, retiring, mostAgeMs, replacesAtRisk };
  const plan = decideRollout(facts, ports.clock.now());
  // First: without it the hosts would wait once more for their end.
  if (!isDeepStrictEqual(plan.retiring, retiring))
    await ports.memory.update((state) => ({ ...state, retiring: plan.retiring }));
  for (const step of plan.steps) await carryOut(ports, step);
  const { outdated, stoppedBy } = plan;
  if (stoppedBy !== undefined)
    ports.log.warn('the roll-out stands: the template gives no host', { instance: stoppedBy.instanceId, outdated });
  // A group without instances has nothing to replace, and a metric costs by the hours in which it is published.
  if (group.instances.length === 0 && stoppedBy === undefined) return;
  await ports.metrics.put({
    [metrics.outdatedHosts]: outdated,
    [metrics.rolloutStopped]: stoppedBy === undefined ? 0 : 1,
  });
}

/** A step that fails is due again at the next pass. */
async function carryOut(ports: RolloutPorts, step: RolloutStep): Promise<void> {
  const fields =
    step.kind === 'launch-first' ? step : { step: step.kind, instance: step.instanceId, because: step.because };
  try {
    const outcome = await apply(ports, step);
    ports.log.info('roll-out', { ...fields, outcome });
  } catch (error) {
    ports.log.error('a step of the roll-out failed', { ...fields, ...failureFields(error) });
  }
}

async function apply(ports: RolloutPorts, step: RolloutStep): Promise<'done' | 'busy'> {
  switch (step.kind) {
    case 'launch-first':
      await ports.size.setDesired(step.capacity);
      return 'done';
    case 'take-labels':
      await ports.runners.keepLabels(step.runner.id, step.runner.labels.filter(labels.isOwn));
      return 'done';
    case 'remove-and-replace':
      if (!(await isFree(ports, step.instanceId))) return 'busy';
      await ports.members.markUnhealthy(step.instanceId);
      return 'done';
    case 'replace':
      // The group launches another one, which could not register while the platform is away: then the step fails, and is due later.
      await ports.runners.findByName(step.instanceId);
      await ports.members.markUnhealthy(step.instanceId);
      return 'done';
  }
}

/** The platform refuses to remove a runner with a job; the host is asked again after that, for a job that came just before. */
async function isFree({ runners, reports }: RolloutPorts, instanceId: string): Promise<boolean> {
  const runner = await runners.findByName(instanceId);
  if (runner !== undefined && (await runners.remove(runner.id)) === 'busy') return false;
  return saysNoWorker((await reports.read([instanceId])).get(instanceId));
}
