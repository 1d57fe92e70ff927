import { isDeepStrictEqual } from 'node:util';
import type { Clock, Logger } from '@drover/core';
import { hooks } from '@drover/core/names/runner-fleet';
import { brakeIsOn, noteBootFailures, reportedFailures } from '../decide/decide-brake.ts';
import { decideReconcile, type Finding, type ReconcileAction, secretMaxAgeMs } from '../decide/decide-reconcile.ts';
import { waitsForTermination } from '../model/fleet.ts';
import type { Memory } from '../model/memory.ts';
import type {
  FleetMemory,
  GroupMembers,
  GroupReader,
  HostReports,
  LifecycleHooks,
  RunnerDirectory,
  TokenSecrets,
  TransitionTimes,
} from '../ports.ts';
import { currentRunners } from './current-runners.ts';
import { failureFields } from './failure-fields.ts';

export interface ReconcilePorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly group: GroupReader;
  readonly members: GroupMembers;
  readonly hooks: LifecycleHooks;
  readonly times: TransitionTimes;
  readonly secrets: Pick<TokenSecrets, 'list' | 'find' | 'delete'>;
  readonly runners: Pick<RunnerDirectory, 'list' | 'remove'>;
  readonly reports: HostReports;
  readonly memory: FleetMemory;
  readonly allowedDrainTimeMs: number;
  /** @default false */
  readonly jobsMode?: boolean;
}

/** Compares all sides of the fleet and carries out what was seen twice. `dryRun` only reports. */
export async function reconcile(
  ports: ReconcilePorts,
  options: { readonly dryRun?: boolean } = {},
): Promise<readonly Finding[]> {
  const memory = await ports.memory.read();
  const group = await ports.group.read();
  const { jobsMode = false } = ports;
  const runners = jobsMode ? [] : await currentRunners(ports, memory.runners);
  const ids = group.instances.filter((instance) => !instance.inWarmPool).map(({ id }) => id);
  const waiting = group.instances.filter(waitsForTermination).map(({ id }) => id);
  const [secrets, reports, started] = await Promise.all([
    ports.secrets.list(),
    ports.reports.read(ids),
    waiting.length === 0 ? new Map<string, number>() : ports.times.startedAt(waiting),
  ]);
  const { allowedDrainTimeMs } = ports;
  const since = new Map([...Object.entries(memory.terminatingSince), ...started]);
  const now = ports.clock.now();
  const broken = reportedFailures(reports).filter((failure) => failure.broken);
  const note = (known: Memory['bootFailures']) => noteBootFailures(known, broken, now, group.instances);
  const braked = brakeIsOn(note(memory.bootFailures), now);
  const plan = decideReconcile(
    { group, runners, secrets, reports, since, allowedDrainTimeMs, suspects: memory.suspects, jobsMode, braked },
    now,
  );
  if (options.dryRun === true) return plan.due;
  for (const finding of plan.due) await carryOut(ports, finding);
  if (broken.length > 0 || !isDeepStrictEqual(plan.suspects, memory.suspects))
    await ports.memory.update((state) => ({
      ...state,
      suspects: plan.suspects,
      ...(broken.length === 0 ? {} : { bootFailures: note(state.bootFailures) }),
    }));
  return plan.due;
}

/** One failing removal does not keep the others from being done; it is due again at the next pass. */
async function carryOut(ports: ReconcilePorts, finding: Finding): Promise<void> {
  const { action, because, firstSeenAt } = finding;
  const fields = {
    ...action,
    because,
    firstSeen: new Date(firstSeenAt).toISOString(),
    seenAgain: new Date(ports.clock.now()).toISOString(),
  };
  try {
    await apply(ports, action);
    ports.log.info('reconcile', fields);
  } catch (error) {
    ports.log.error('reconcile failed', { ...fields, ...failureFields(error) });
  }
}

/** The list may be five minutes old: a token that was stored meanwhile stays. */
async function deleteStaleSecret({ secrets, clock }: ReconcilePorts, instanceId: string): Promise<void> {
  const now = await secrets.find(instanceId);
  if (now !== undefined && clock.now() - now.storedAt >= secretMaxAgeMs) await secrets.delete(instanceId);
}

async function apply(ports: ReconcilePorts, action: ReconcileAction): Promise<unknown> {
  switch (action.kind) {
    case 'remove-runner':
      return await ports.runners.remove(action.runnerId);
    case 'mark-unhealthy':
    case 'replace-warm-member':
      return await ports.members.markUnhealthy(action.instanceId);
    case 'delete-secret':
      return await deleteStaleSecret(ports, action.instanceId);
    case 'complete-termination':
      return await ports.hooks.complete(action.instanceId, hooks.deregistration.name, 'CONTINUE');
    case 'clear-protection':
      return await ports.members.clearProtection(action.instanceId);
  }
}
