import { describeError, TerminalError } from '@drover/core';
import { instanceBytesPerSecond } from '@drover/core/instance-bandwidth';
import type { DecommissionOutcome, DecommissionStep } from '../../decide/drain/decommission.ts';
import type { DecommissionCase, DecommissionFacts } from '../../decide/drain/decommission-facts.ts';
import { type GroupMember, terminatingWait } from '../../model/lifecycle.ts';
import { hasGivenUp, markGaveUp, withdrawal } from '../../model/shutdown.ts';
import { findNode } from '../../model/topology.ts';
import type { HostLock, InstanceMetadata } from '../../ports.ts';
import { attempt } from '../attempt.ts';
import { decommissionNode, forecastDecommission } from './decommission-node.ts';
import { type DecommissionRun, type DrainReporter, decommissionCase } from './decommission-run.ts';
import type { DrainableTermination } from './terminating-instance.ts';

/** The ports of a drain that was started on this host. */
export interface HostDrainRun extends Omit<DecommissionRun, 'aws' | 'lastHeartbeatAt' | 'report'> {
  readonly aws: NonNullable<DecommissionRun['aws']>;
  readonly metadata: InstanceMetadata;
  readonly lock: HostLock;
  readonly report: HostDrainReporter;
}

export interface HostDrainReporter extends DrainReporter {
  /** Something that only matters when a fault is looked for. */
  onDetail(what: string): void;
}

/** The request of the operator, or of the schedule. */
export interface HostDrainRequest {
  /** Id, name or address of a node; the node of this host when undefined. */
  readonly node: string | undefined;
  readonly reason: string;
  readonly waitMs: number;
  readonly hookName: string;
  readonly completeHook: boolean;
  /** Begin although the forecast says that it does not end in time. */
  readonly allowTimeout: boolean;
  /** The termination of this instance; undefined when it has not been read. */
  readonly termination: DrainableTermination | undefined;
  readonly dryRun: boolean;
}

export type HostDrainEnd =
  /** Another run on this host drains the same node. */
  | { readonly kind: 'already-running' }
  /** The instance is retained: it waits for an operator. */
  | { readonly kind: 'retained'; readonly instanceId: string }
  /** The hook of this instance cannot be completed for a node on another host. */
  | { readonly kind: 'hook-elsewhere' }
  | {
      readonly kind: 'forecast';
      readonly drain: DecommissionCase;
      readonly facts: DecommissionFacts;
      readonly step: DecommissionStep;
    }
  | { readonly kind: 'ended'; readonly drain: DecommissionCase; readonly outcome: DecommissionOutcome };

/**
 * Drains the node of this host, or another one: finds out about instance and node, takes the host's lock, keeps the
 * termination hook open, and lets {@link decommissionNode} do the rest.
 */
export async function drainThisHost(run: HostDrainRun, request: HostDrainRequest): Promise<HostDrainEnd> {
  if (request.dryRun) return await drain(run, request);
  const lock = await run.lock.acquire(`decommission-node/${request.node ?? 'local'}`);
  if (lock === undefined) return { kind: 'already-running' };
  try {
    return await drain(run, request);
  } finally {
    await lock.release();
  }
}

async function drain(run: HostDrainRun, request: HostDrainRequest): Promise<HostDrainEnd> {
  const { termination } = request;
  if (termination?.kind === 'retained') return await standAside(run, termination.member, request.dryRun);
  const member = termination?.kind === 'waiting' ? termination.member : await memberByHand(run, request);
  // Before anything else is read: however slow or broken the rest is, each scheduled run keeps the hook open.
  const lastHeartbeatAt = request.dryRun ? undefined : await keepHookOpen(run, request, member);
  const context = await keepingHook(run, request, member, () => caseOf(run, request, member));
  if (context === 'hook-elsewhere') return { kind: context };
  if (request.dryRun) return { kind: 'forecast', drain: context, ...(await forecastDecommission(run, context)) };
  const outcome = await keepingHook(run, request, member, () =>
    decommissionNode({ ...run, aws: member === undefined ? undefined : run.aws, lastHeartbeatAt }, context),
  ).catch((error: unknown) => {
    if (run.signal?.aborted === true) run.report.onWarning(interruptedHint(context.nodeId));
    throw error;
  });
  return { kind: 'ended', drain: context, outcome };
}

/** A retained instance waits for an operator; its record must not keep others from draining. */
async function standAside(run: HostDrainRun, member: GroupMember, dryRun: boolean): Promise<HostDrainEnd> {
  const nodeId = await run.search.topology.localNodeId();
  const own = (await run.search.records.list()).find((record) => record.nodeId === nodeId);
  if (own !== undefined && !hasGivenUp(own) && !dryRun)
    await run.search.records.register(nodeId, markGaveUp(own.reason, 'retained'));
  return { kind: 'retained', instanceId: member.instanceId };
}

/**
 * By hand: is this instance terminating? Its record must then stay when the drain is given up. Outside AWS there is no
 * metadata, and nothing of AWS to touch.
 */
async function memberByHand(run: HostDrainRun, request: HostDrainRequest): Promise<GroupMember | undefined> {
  let target: string | undefined;
  try {
    target = await run.metadata.targetLifecycleState();
  } catch (error) {
    if (request.completeHook) throw error;
    run.report.onDetail(`not on an instance: ${describeError(error)}`);
    return undefined;
  }
  if (target === undefined || (!request.completeHook && target !== 'Terminated')) return undefined;
  return await run.aws.membership.memberOf(await run.metadata.instanceId());
}

/** The facts for the whole run. Only a record that this run may have created is deleted when it gives up. */
async function caseOf(
  run: HostDrainRun,
  request: HostDrainRequest,
  member: GroupMember | undefined,
): Promise<DecommissionCase | 'hook-elsewhere'> {
  const { topology, records } = run.search;
  const localId = await topology.localNodeId();
  const nodeId = request.node === undefined ? localId : await idOf(run, request.node);
  const isLocal = nodeId === localId;
  if (!isLocal && request.completeHook) return 'hook-elsewhere';
  const { reason, waitMs, hookName, completeHook, allowTimeout } = request;
  const mayWithdraw = isLocal || !(await records.list()).some((record) => record.nodeId === nodeId);
  return await decommissionCase(
    {
      nodeId,
      reason,
      waitMs,
      hookName,
      completeHook,
      allowTimeout,
      machineBytesPerSecond: await machineSpeed(run),
      member: isLocal ? member : undefined,
      mayWithdraw,
    },
    run.aws.hook,
    run.clock.now(),
  );
}

/** By the type of this instance: all data nodes have the same one. Only for the forecast, which does without it. */
async function machineSpeed({ metadata }: HostDrainRun): Promise<number | undefined> {
  try {
    return instanceBytesPerSecond(await metadata.instanceType());
  } catch {
    return undefined;
  }
}

async function idOf(run: HostDrainRun, wanted: string): Promise<string> {
  const topology = await run.search.topology.topology();
  const found = findNode(topology, wanted);
  if (found !== undefined) return found.id;
  throw new TerminalError(
    `no node ${wanted} is in cluster ${topology.clusterName} (there are ${topology.nodes.map(({ name }) => name).join(', ')})`,
  );
}

/** Whatever fails while the instance waits: the hook is kept open once more, so that the next run finds it waiting. */
async function keepingHook<T>(
  run: HostDrainRun,
  request: HostDrainRequest,
  member: GroupMember | undefined,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!request.dryRun) await keepHookOpen(run, request, member);
    throw error;
  }
}

/** Returns when the heartbeat was recorded; undefined when there was none. A failure here must not keep the drain from its work. */
async function keepHookOpen(
  run: HostDrainRun,
  { hookName }: HostDrainRequest,
  member: GroupMember | undefined,
): Promise<number | undefined> {
  if (member?.lifecycleState !== terminatingWait) return undefined;
  const answer = await attempt(run.report, 'heartbeat failed', () => run.aws.hook.heartbeat(member, hookName));
  return answer === 'accepted' ? run.clock.now() : undefined;
}

const interruptedHint = (nodeId: string) =>
  `a shutdown that was registered stays, and Elasticsearch goes on draining: resume with the same command, or undo it with: ${withdrawal(nodeId)}`;
