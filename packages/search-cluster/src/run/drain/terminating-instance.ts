import { type GroupMember, terminatingRetained, terminatingWait } from '../../model/lifecycle.ts';
import type { GroupMembership, InstanceMetadata } from '../../ports.ts';

/** The lifecycle state of this instance, as far as a drain is concerned. */
export type Termination =
  | { readonly kind: 'not-terminating'; readonly target: string | undefined }
  /** Terminating, but not in the wait in which a drain acts. */
  | { readonly kind: 'not-waiting'; readonly state: string }
  | DrainableTermination;

/** A termination in which a drain has something to do. */
export type DrainableTermination =
  | { readonly kind: 'retained'; readonly member: GroupMember }
  | { readonly kind: 'waiting'; readonly member: GroupMember };

/**
 * Asks the instance's own metadata first: it needs no permission and no AWS call, and on nearly every run of the
 * schedule it is all that is needed. It shows where the instance is *going*, so `Terminated` is confirmed with the
 * group.
 */
export async function lookAtTermination(
  metadata: Pick<InstanceMetadata, 'targetLifecycleState' | 'instanceId'>,
  membership: () => Promise<GroupMembership>,
): Promise<Termination> {
  const target = await metadata.targetLifecycleState();
  if (target !== 'Terminated') return { kind: 'not-terminating', target };
  const group = await membership();
  const member = await group.memberOf(await metadata.instanceId());
  if (member === undefined) return { kind: 'not-waiting', state: 'in no group' };
  if (member.lifecycleState === terminatingRetained) return { kind: 'retained', member };
  if (member.lifecycleState !== terminatingWait) return { kind: 'not-waiting', state: member.lifecycleState };
  return { kind: 'waiting', member };
}
