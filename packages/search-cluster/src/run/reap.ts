import { type Clock, describeError } from '@drover/core';
import { namesOf } from '@drover/core/names/node-groups';
import { clusterUuidTag, hooks } from '@drover/core/names/search-cluster';
import { decideReap, type ReapAction, type ReapFacts } from '../decide/reap.ts';
import { type GroupInstance, pendingWait } from '../model/lifecycle.ts';
import { markAbsent, plainReason } from '../model/shutdown.ts';
import type {
  ClusterHealthReader,
  GroupInstances,
  InstanceTags,
  LifecycleHook,
  RetainedInstances,
  ShutdownRecords,
  StatusChecks,
  TopologyReader,
  VotingExclusions,
} from '../ports.ts';

export interface ReapRun {
  readonly clock: Clock;
  /** The prefix of the groups' names. @default the cluster's name */
  readonly resourceName?: string | undefined;
  readonly search: {
    readonly health: ClusterHealthReader;
    readonly topology: TopologyReader;
    readonly records: ShutdownRecords;
    readonly voting: VotingExclusions;
  };
  readonly aws:
    | {
        readonly instances: GroupInstances;
        readonly checks: StatusChecks;
        readonly hook: LifecycleHook;
        readonly retained: RetainedInstances;
        readonly tags: InstanceTags;
      }
    | undefined;
}

/** One thing that reap did, could not do, or only reports. */
export interface Reaped {
  readonly action: ReapAction;
  readonly error: string | undefined;
}

/** One pass over what nodes that left have left behind. Safe to repeat and to run on several masters at once. */
export async function reap(run: ReapRun): Promise<readonly Reaped[]> {
  const facts = await gather(run);
  const reaped: Reaped[] = [];
  for (const action of decideReap(facts, run.clock.now())) reaped.push(await attempt(run, action));
  return reaped;
}

async function gather(run: ReapRun): Promise<ReapFacts> {
  const topology = await run.search.topology.topology();
  const records = await run.search.records.list();
  const voting = await run.search.voting.read();
  // After the nodes: a cluster that is green here has not lost a copy with one that is absent there.
  const health = await run.search.health.health();
  const name = run.resourceName ?? topology.clusterName;
  const groups = namesOf((await run.aws?.instances.groupsOf(name)) ?? []);
  const instances = await run.aws?.instances.ofGroups(groups);
  const someAbsent = records.some((record) => !topology.nodes.some((node) => node.id === record.nodeId));
  const lastTerminationAt = someAbsent ? await run.aws?.instances.lastTerminationAt(groups) : undefined;
  const impairedSince = await impairedIn(run, instances ?? []);
  return { health, topology, records, voting, instances, impairedSince, lastTerminationAt };
}

/** Most of the time nothing launches. Without the right to ask, launches end by their hook; the rest is cleared all the same. */
async function impairedIn({ aws }: ReapRun, instances: readonly GroupInstance[]) {
  const launches = instances.some(({ lifecycleState }) => lifecycleState === pendingWait);
  if (aws === undefined || !launches) return new Map<string, number>();
  return await aws.checks.impairedSince().catch(() => new Map<string, number>());
}

async function attempt(run: ReapRun, action: ReapAction): Promise<Reaped> {
  try {
    await apply(run, action);
    return { action, error: undefined };
  } catch (error) {
    return { action, error: describeError(error) };
  }
}

async function apply(run: ReapRun, action: ReapAction): Promise<void> {
  switch (action.kind) {
    case 'mark-absent':
      return await run.search.records.register(action.record.nodeId, markAbsent(action.record.reason));
    case 'unmark-absent':
      return await run.search.records.register(action.record.nodeId, plainReason(action.record.reason));
    case 'delete-record':
      return await run.search.records.withdraw(action.record.nodeId);
    case 'clear-exclusions':
      return await run.search.voting.clear();
    case 'tag-node':
      return await run.aws!.tags.set(action.instance.instanceId, { [clusterUuidTag]: action.clusterUuid });
    case 'complete-hook':
      return void (await run.aws!.hook.complete(action.instance, hooks.terminating.name, 'CONTINUE'));
    case 'end-launch':
      return void (await run.aws!.hook.complete(action.instance, hooks.launching.name, 'ABANDON'));
    case 'release-retained':
      return await run.aws!.retained.release(action.instance.instanceId);
    case 'report':
      return;
  }
}
