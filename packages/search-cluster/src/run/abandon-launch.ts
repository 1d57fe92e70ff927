import { describeError, type Refusal } from '@drover/core';
import { checkAbandon, type Holdings } from '../decide/abandon.ts';
import type { GroupMembership, InstanceRefresh, LifecycleHook } from '../ports.ts';

export interface AbandonRun {
  readonly membership: GroupMembership;
  readonly hook: LifecycleHook;
  readonly refresh: InstanceRefresh;
  /** What the node holds now. */
  holdings(): Promise<Holdings>;
  onWarning(what: string): void;
}

/** Ends the launch of an instance that cannot be configured, and a refresh that would launch more of them. */
export async function abandonLaunch(
  run: AbandonRun,
  instanceId: string,
  hookName: string,
): Promise<'abandoned' | 'not-waiting' | Refusal> {
  const member = await run.membership.memberOf(instanceId);
  const refusal = checkAbandon(member, await run.holdings());
  if (member?.lifecycleState.startsWith('Pending') === true) await cancelRefresh(run, member.groupName);
  if (refusal !== undefined) return refusal;
  const answer = await run.hook.complete(member!, hookName, 'ABANDON');
  return answer === 'accepted' ? 'abandoned' : 'not-waiting';
}

/** The launch ends also when the refresh cannot be stopped. */
async function cancelRefresh(run: AbandonRun, groupName: string): Promise<void> {
  try {
    await run.refresh.cancel(groupName);
  } catch (error) {
    run.onWarning(`the refresh of ${groupName} was not cancelled: ${describeError(error)}`);
  }
}
