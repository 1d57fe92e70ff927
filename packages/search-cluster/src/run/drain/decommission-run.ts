import { deadlineAt } from '../../decide/deadline.ts';
import type { DecommissionCase, DecommissionFacts } from '../../decide/drain/decommission-facts.ts';
import { type GroupMember, type HookFacts, terminatingWait } from '../../model/lifecycle.ts';
import type { GroupMembership, InstanceRefresh, InstanceTags, LifecycleHook } from '../../ports.ts';
import type { Polling } from '../poll-pause.ts';
import type { DecommissionSearch } from './gather-decommission.ts';

/** The roles of AWS that a drain needs. */
export interface DecommissionAws {
  readonly membership: GroupMembership;
  readonly hook: LifecycleHook;
  readonly refresh: InstanceRefresh;
  readonly tags: InstanceTags;
}

/** Notified of the progress of a drain. */
export interface DrainReporter {
  /** After each round that ends in waiting. */
  onWait(because: string, facts: DecommissionFacts): void | Promise<void>;
  /** Something was done, or could not be done but does not end the run. */
  onAction(what: string): void;
  onWarning(what: string): void;
}

/** The ports of a drain. */
export interface DecommissionRun extends Polling {
  readonly search: DecommissionSearch;
  /** Undefined when nothing in AWS is to be touched. */
  readonly aws: DecommissionAws | undefined;
  readonly report: DrainReporter;
  /** When the hook was kept open before this run began to look. */
  readonly lastHeartbeatAt?: number | undefined;
}

/** The request for a drain, and the known facts about its node. */
export interface CaseOptions {
  readonly nodeId: string;
  readonly reason: string;
  readonly waitMs: number;
  readonly hookName: string;
  readonly completeHook: boolean;
  readonly allowTimeout: boolean;
  readonly machineBytesPerSecond: number | undefined;
  /** The node runs on this instance; undefined for a node elsewhere, or outside AWS. */
  readonly member: GroupMember | undefined;
  /** Whether the record, if it exists already, may be deleted when the run gives up. */
  readonly mayWithdraw: boolean;
}

/** Collects what holds for the whole run, with the deadline that both the operator and AWS allow. */
export async function decommissionCase(
  options: CaseOptions,
  hooks: LifecycleHook | undefined,
  now: number,
): Promise<DecommissionCase> {
  const { member } = options;
  let terminating: { member: GroupMember; hook: HookFacts } | undefined;
  if (member?.lifecycleState === terminatingWait && hooks !== undefined)
    terminating = { member, hook: await hooks.describe(member, options.hookName) };
  return {
    nodeId: options.nodeId,
    reason: options.reason,
    terminating,
    groupName: member?.groupName,
    completeHook: options.completeHook,
    allowTimeout: options.allowTimeout,
    machineBytesPerSecond: options.machineBytesPerSecond,
    deadlineAt: deadlineAt(now, options.waitMs, terminating?.hook),
    withdrawOnGiveUp: terminating === undefined && options.mayWithdraw,
  };
}
