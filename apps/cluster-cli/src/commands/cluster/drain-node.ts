import { searchRoles } from '@drover/adapters/search/roles';
import { describeError, TerminalError } from '@drover/core';
import {
  type DecommissionCase,
  decommissionCase,
  decommissionNode,
  findNode,
  type GroupMember,
  hasGivenUp,
  markGaveUp,
  type Termination,
} from '@drover/search-cluster';
import { roles as awsRoles } from '../../aws.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { instanceMetadata } from '../../metadata.ts';
import { UsageError } from '../../report-failure.ts';
import type { CommandInput } from '../../tree/types.ts';
import { drainReporter } from './drain-reporter.ts';
import { finishDrain } from './finish-drain.ts';
import { printForecast } from './print-forecast.ts';

type Roles = ReturnType<typeof searchRoles>;
type Aws = ReturnType<typeof awsRoles>;

/** Drains a node: takes the host's lock, finds out about node and instance, and lets the domain do the rest. */
export async function drainNode(
  context: Context,
  input: CommandInput,
  termination: Termination | undefined,
): Promise<number> {
  const dryRun = input.options['dry-run'] === true;
  const lock = dryRun ? undefined : await context.io.lock.acquire(`decommission-node/${input.args.NODE ?? 'local'}`);
  if (lock === undefined && !dryRun) {
    context.log.info('another run on this host drains this node already');
    return exitCodes.done;
  }
  try {
    return await drainLocked(context, input, termination);
  } finally {
    await lock?.release();
  }
}

async function drainLocked(
  context: Context,
  input: CommandInput,
  termination: Termination | undefined,
): Promise<number> {
  const search = searchRoles(context.search());
  const aws = awsRoles(context);
  if (termination?.kind === 'retained') return await standAside(context, search, termination.member);
  const member = termination?.kind === 'waiting' ? termination.member : await memberByHand(context, input, aws);
  const lastHeartbeatAt = input.options['dry-run'] === true ? undefined : await keepOpen(context, aws, member, input);
  const drain = await keepingHook(context, aws, member, input, () => caseOf(context, input, search, aws, member));
  if (input.options['dry-run'] === true) return await printForecast(context, search, drain);
  const run = {
    clock: context.io.clock,
    random: context.io.random,
    search,
    aws: member === undefined ? undefined : aws,
    report: drainReporter(context, search, drain),
    lastHeartbeatAt,
    signal: context.io.signal,
  };
  const outcome = await keepingHook(context, aws, member, input, () => decommissionNode(run, drain)).catch((error) => {
    if (context.io.signal.aborted) context.log.warn(interruptedHint(drain.nodeId));
    throw error;
  });
  return finishDrain(context, outcome, drain);
}

async function caseOf(
  context: Context,
  { options, args }: CommandInput,
  search: Roles,
  aws: Aws,
  member: GroupMember | undefined,
): Promise<DecommissionCase> {
  const localId = await search.topology.localNodeId();
  const nodeId = args.NODE === undefined ? localId : await idOf(search, args.NODE);
  const isLocal = nodeId === localId;
  if (!isLocal && options['complete-lifecycle-action'] === true)
    throw new UsageError(
      `--complete-lifecycle-action acts on this instance, but ${args.NODE} runs elsewhere: run it there, or leave the option out`,
    );
  const given = {
    nodeId,
    reason: options.reason as string,
    waitMs: Number(options['wait-until-complete']) * 1000,
    hookName: options['lifecycle-hook'] as string,
    completeHook: options['complete-lifecycle-action'] === true,
    member: isLocal ? member : undefined,
    mayWithdraw: isLocal || !(await search.records.list()).some((record) => record.nodeId === nodeId),
  };
  return await decommissionCase(given, aws.hook, context.io.clock.now());
}

async function idOf(search: Roles, wanted: string): Promise<string> {
  const topology = await search.topology.topology();
  const found = findNode(topology, wanted);
  if (found !== undefined) return found.id;
  throw new TerminalError(
    `no node ${wanted} is in cluster ${topology.clusterName} (there are ${topology.nodes.map(({ name }) => name).join(', ')})`,
  );
}

/**
 * By hand: is this instance terminating? Its record must then stay when the drain is given up. Outside AWS there is no
 * metadata, and nothing of AWS to touch.
 */
async function memberByHand(context: Context, { options }: CommandInput, aws: Aws): Promise<GroupMember | undefined> {
  const asked = options['complete-lifecycle-action'] === true;
  const metadata = instanceMetadata(context);
  let target: string | undefined;
  try {
    target = await metadata.targetLifecycleState();
  } catch (error) {
    if (asked) throw error;
    context.log.debug(`not on an instance: ${describeError(error)}`);
    return undefined;
  }
  if (target === undefined || (!asked && target !== 'Terminated')) return undefined;
  return await aws.membership.memberOf(await metadata.instanceId());
}

/** Whatever fails while the instance waits: the hook is kept open once more, so that the next run finds it waiting. */
async function keepingHook<T>(
  context: Context,
  aws: Aws,
  member: GroupMember | undefined,
  input: CommandInput,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    await keepOpen(context, aws, member, input);
    throw error;
  }
}

/** Before anything is read: however slow or broken the rest is, each run of the schedule keeps the hook open. */
async function keepOpen(
  context: Context,
  aws: Aws,
  member: GroupMember | undefined,
  { options }: CommandInput,
): Promise<number | undefined> {
  if (member?.lifecycleState !== 'Terminating:Wait') return undefined;
  try {
    const answer = await aws.hook.heartbeat(member, options['lifecycle-hook'] as string);
    return answer === 'accepted' ? context.io.clock.now() : undefined;
  } catch (error) {
    context.log.warn(`heartbeat failed: ${describeError(error)}`);
    return undefined;
  }
}

/** A retained instance waits for an operator; its record must not keep others from draining. */
async function standAside(context: Context, search: Roles, member: GroupMember): Promise<number> {
  const nodeId = await search.topology.localNodeId();
  const own = (await search.records.list()).find((record) => record.nodeId === nodeId);
  if (own !== undefined && !hasGivenUp(own)) await search.records.register(nodeId, markGaveUp(own.reason, 'retained'));
  context.log.warn(
    `instance ${member.instanceId} is retained: drain it by hand (cluster-cli cluster decommission-node --reason retained), then: drover cluster release ${member.instanceId}`,
  );
  return exitCodes.done;
}

const interruptedHint = (nodeId: string) =>
  `a shutdown that was registered stays, and Elasticsearch goes on draining: resume with the same command, or undo it with: cluster-cli api DELETE /_nodes/${nodeId}/shutdown`;
