import { type Clock, describeError, type Refusal, type WaitStep, waitFor } from '@drover/core';
import { launchNoteTag } from '@drover/core/names/search-cluster';
import { checkAbandon, type Holdings, holdsNothing } from '../../decide/launch/abandon.ts';
import { type GroupMember, terminatingWait } from '../../model/lifecycle.ts';
import type { GroupMembership, InstanceRefresh, InstanceTags, LifecycleHook, SearchProcess } from '../../ports.ts';
import { attempt } from '../attempt.ts';

export interface AbandonRun {
  readonly clock: Clock;
  readonly membership: GroupMembership;
  readonly hook: LifecycleHook;
  readonly refresh: InstanceRefresh;
  readonly tags: InstanceTags;
  readonly reason: string;
  /** Undefined where there is none that could be stopped. */
  readonly process: SearchProcess | undefined;
  /** The node's present holdings. */
  holdings(): Promise<Holdings>;
  indicesOnDisk(): Promise<number>;
  /** Called before the instance is released, which ends this process too. */
  onAbandoned(): void;
  onWarning(what: string): void;
}

export interface AbandonHooks {
  readonly launching: string;
  readonly terminating: string;
}

/** Auto Scaling takes seconds from the end of a launch to the hook of the termination. */
const terminationWaitMs = 60_000;
const pollMs = 2_000;

/** Ends the launch of an instance that cannot be configured, and a refresh that would launch more of them. */
export async function abandonLaunch(
  run: AbandonRun,
  instanceId: string,
  hooks: AbandonHooks,
): Promise<'abandoned' | 'not-waiting' | Refusal> {
  const member = await run.membership.memberOf(instanceId);
  const refusal = checkAbandon(member, await run.holdings());
  if (member?.lifecycleState.startsWith('Pending') === true)
    // The launch ends also when the refresh cannot be stopped.
    await attempt(run, `the refresh of ${member.groupName} was not cancelled`, () =>
      run.refresh.cancel(member.groupName),
    );
  if (refusal !== undefined) return refusal;
  // The instance is gone soon, and its log with it: a deployment that waits for the cluster says this instead.
  await attempt(run, 'the reason was not noted on the instance', () =>
    run.tags.set(instanceId, { [launchNoteTag]: `boot failed: ${run.reason}` }),
  );
  const answer = await run.hook.complete(member!, hooks.launching, 'ABANDON');
  if (answer !== 'accepted') return 'not-waiting';
  run.onAbandoned();
  await letGo(run, instanceId, hooks.terminating);
  return 'abandoned';
}

/**
 * The hook of the termination holds every instance, one that never was a node too, and would retain it in the end. No
 * command drains this one: it is let go here, if it still holds nothing. Otherwise the masters' reap takes care of it.
 */
async function letGo(run: AbandonRun, instanceId: string, hookName: string): Promise<void> {
  const end = await waitFor<GroupMember | undefined, never, GroupMember | undefined>({
    clock: run.clock,
    deadlineAt: run.clock.now() + terminationWaitMs,
    gather: () => run.membership.memberOf(instanceId),
    onGatherError: (error) => run.onWarning(describeError(error)),
    decide: isHeld,
    pauseMs: () => pollMs,
  });
  if (end.kind === 'timed-out' || end.outcome === undefined) return;
  if (holdsNothing(await run.holdings()) && (await staysEmpty(run)))
    await run.hook.complete(end.outcome, hookName, 'CONTINUE');
}

/**
 * A node that runs may be given a shard, also its only copy, until its machine is gone, and one that is on its way does not
 * count as held. Once the process is stopped, the disk says it all.
 */
async function staysEmpty({ process, indicesOnDisk, onWarning }: AbandonRun): Promise<boolean> {
  await process?.stop();
  if ((await indicesOnDisk()) === 0) return true;
  onWarning('the node has been given shards meanwhile: its instance is kept until it is drained');
  await process?.start();
  return false;
}

function isHeld(member: GroupMember | undefined): WaitStep<never, GroupMember | undefined> {
  if (member === undefined || member.lifecycleState === terminatingWait) return { kind: 'done', outcome: member };
  return { kind: 'wait', because: `the instance is ${member.lifecycleState}` };
}
