import type { Clock, Logger } from '@drover/core';
import { hooks } from '@drover/core/names/runner-fleet';
import { noteBootFailures, reportedFailures } from '../decide/decide-brake.ts';
import {
  commandOf,
  type DrainAction,
  type DrainDecision,
  type DrainFacts,
  decideDrain,
} from '../decide/decide-drain.ts';
import { type FleetInstance, type FoundRunner, type HostReport, waitsForTermination } from '../model/fleet.ts';
import type { BusyReading, Memory } from '../model/memory.ts';
import type {
  FleetMemory,
  GroupReader,
  HostReports,
  LifecycleHooks,
  RemoteCommands,
  RunnerDirectory,
  TokenSecrets,
  TransitionTimes,
} from '../ports.ts';
import { failureFields } from './failure-fields.ts';

export interface TerminationPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly group: GroupReader;
  readonly hooks: LifecycleHooks;
  readonly times: TransitionTimes;
  readonly secrets: Pick<TokenSecrets, 'delete'>;
  readonly runners: Pick<RunnerDirectory, 'findByName' | 'keepLabels' | 'remove'>;
  readonly reports: HostReports;
  readonly commands: RemoteCommands;
  readonly memory: FleetMemory;
  readonly allowedDrainTimeMs: number;
}

/** One pass over every instance in a termination wait; never waits itself. */
export async function guardTerminations(ports: TerminationPorts, onlyInstance?: string): Promise<void> {
  const group = await ports.group.read();
  const leaving = group.instances
    .filter(waitsForTermination)
    .filter(({ id }) => onlyInstance === undefined || id === onlyInstance);
  if (leaving.length === 0) return await forget(ports, onlyInstance);
  const ids = leaving.map(({ id }) => id);
  const [since, reports] = await Promise.all([ports.times.startedAt(ids), ports.reports.read(ids)]);
  const seen = new Map<string, FoundRunner | 'absent' | 'unreadable'>();
  for (const { id } of leaving) seen.set(id, await readRunner(ports, id));
  const memory = await remember(ports, group.instances, seen, reports);
  for (const instance of leaving) {
    const began = since.get(instance.id) ?? memory.terminatingSince[instance.id]!;
    const facts = await gather(
      ports,
      instance,
      began,
      ofAgent(reports.get(instance.id)),
      seen.get(instance.id)!,
      memory,
    );
    await carryOut(ports, instance.id, decideDrain(facts, ports.clock.now()));
  }
}

/** The boot script says nothing of the agent that came after it. */
const ofAgent = (report: HostReport | undefined) => (report?.phase === 'booting' ? undefined : report);

/** The platform is never needed: a runner that it does not return counts as unreadable. */
async function readRunner(ports: TerminationPorts, instanceId: string): Promise<FoundRunner | 'absent' | 'unreadable'> {
  try {
    return (await ports.runners.findByName(instanceId)) ?? 'absent';
  } catch (error) {
    ports.log.warn('the platform could not be read', { instance: instanceId, ...failureFields(error) });
    return 'unreadable';
  }
}

async function gather(
  ports: TerminationPorts,
  instance: FleetInstance,
  since: number,
  host: DrainFacts['host'],
  runner: DrainFacts['runner'],
  memory: Memory,
): Promise<DrainFacts> {
  const commands = await ports.commands.recent(instance.id, since);
  const { allowedDrainTimeMs } = ports;
  const busyReadings = memory.busyReadings[instance.id] ?? [];
  const { unreachablePasses } = memory;
  return { instance, since, allowedDrainTimeMs, host, commands, runner, busyReadings, unreachablePasses };
}

async function carryOut(ports: TerminationPorts, instanceId: string, decision: DrainDecision): Promise<void> {
  const { because, actions } = decision;
  // A runner that still had a job then has lost it.
  const level = because === 'allowed-drain-time-over' ? 'warn' : 'info';
  ports.log[level]('drain', { instance: instanceId, because, actions: actions.map((action) => action.kind) });
  for (const action of actions) {
    const next = await apply(ports, instanceId, action);
    if (next !== undefined) return await carryOut(ports, instanceId, next);
  }
}

/** Carries out one action; returns the decision that takes the place of the remaining actions, if there is one. */
async function apply(
  ports: TerminationPorts,
  instanceId: string,
  action: DrainAction,
): Promise<DrainDecision | undefined> {
  switch (action.kind) {
    case 'tell-host':
      return (await ports.commands.send(instanceId, commandOf(action.message))) === 'unknown'
        ? action.ifUnknown
        : undefined;
    case 'take-labels':
      return await takeLabelsIfPossible(ports, instanceId, action);
    case 'remove-runner':
      return (await removeIfPossible(ports, instanceId, action.runnerId)) ? action.ifRemoved : undefined;
    case 'delete-secret':
      return void (await ports.secrets.delete(instanceId));
    case 'complete':
      return void (await ports.hooks.complete(instanceId, hooks.deregistration.name, 'CONTINUE'));
  }
}

/** A platform that cannot be reached, or that refuses, delays nothing: the sweep removes what is left. */
async function removeIfPossible(ports: TerminationPorts, instanceId: string, runnerId: number): Promise<boolean> {
  try {
    const outcome = await ports.runners.remove(runnerId);
    ports.log.info('runner removed from the platform', { instance: instanceId, runner: runnerId, outcome });
    return outcome !== 'busy';
  } catch (error) {
    ports.log.warn('the runner could not be removed', { instance: instanceId, ...failureFields(error) });
    return false;
  }
}

/** Without it the drain only takes longer; the next pass tries again. */
async function takeLabelsIfPossible(
  ports: TerminationPorts,
  instanceId: string,
  { runnerId, keep }: DrainAction & { kind: 'take-labels' },
): Promise<undefined> {
  try {
    await ports.runners.keepLabels(runnerId, keep);
    ports.log.info('no new jobs for the runner: its labels are taken', { instance: instanceId, runner: runnerId });
  } catch (error) {
    ports.log.warn('the labels could not be taken', { instance: instanceId, ...failureFields(error) });
  }
}

const keptReadings = 5;

/** Of instances that are gone nothing is kept: where one is always leaving, the memory would grow for ever. */
const ofMembers = <T>(members: ReadonlySet<string>, record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([id]) => members.has(id)));

/** Adds this pass's readings to the memory and returns what it then holds. */
async function remember(
  ports: TerminationPorts,
  instances: readonly FleetInstance[],
  seen: ReadonlyMap<string, FoundRunner | 'absent' | 'unreadable'>,
  reports: ReadonlyMap<string, HostReport>,
): Promise<Memory> {
  const members = new Set(instances.map(({ id }) => id));
  const at = ports.clock.now();
  const unreachable = [...seen.values()].some((runner) => runner === 'unreadable');
  let result: Memory | undefined;
  await ports.memory.update((memory) => {
    const busyReadings = ofMembers<readonly BusyReading[]>(members, memory.busyReadings);
    const terminatingSince = ofMembers(members, memory.terminatingSince);
    for (const [id, runner] of seen) {
      terminatingSince[id] ??= at;
      if (typeof runner === 'string') continue;
      busyReadings[id] = [...(busyReadings[id] ?? []), { at, busy: runner.busy }].slice(-keptReadings);
    }
    const unreachablePasses = unreachable ? memory.unreachablePasses + 1 : 0;
    const bootFailures = noteBootFailures(memory.bootFailures, reportedFailures(reports), at, instances);
    result = {
      ...memory,
      busyReadings,
      terminatingSince,
      unreachablePasses,
      ...(bootFailures.length === 0 ? {} : { bootFailures }),
    };
    return result;
  });
  return result!;
}

/** No instance is leaving: what was remembered for drains is dropped. */
async function forget(ports: TerminationPorts, onlyInstance: string | undefined): Promise<void> {
  if (onlyInstance !== undefined) return;
  const { busyReadings, terminatingSince, unreachablePasses } = await ports.memory.read();
  if (Object.keys({ ...busyReadings, ...terminatingSince }).length === 0 && unreachablePasses === 0) return;
  await ports.memory.update((state) => ({ ...state, busyReadings: {}, terminatingSince: {}, unreachablePasses: 0 }));
}
