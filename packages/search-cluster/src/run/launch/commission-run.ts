import type { CommissionCase } from '../decide/commission-facts.ts';
import { deadlineAt } from '../decide/deadline.ts';
import type { GroupMember } from '../model/lifecycle.ts';
import type { LifecycleHook } from '../ports.ts';

/** Puts together what holds for the whole run of a launch. */
export async function commissionCase(
  options: { readonly waitMs: number; readonly hookName: string | undefined; readonly member: GroupMember | undefined },
  hooks: LifecycleHook | undefined,
  now: number,
): Promise<CommissionCase> {
  const { member, hookName, waitMs } = options;
  if (member === undefined || hookName === undefined || hooks === undefined)
    return { launch: undefined, deadlineAt: now + waitMs };
  const hook = await hooks.describe(member, hookName);
  return { launch: { member, hook }, deadlineAt: deadlineAt(now, waitMs, hook) };
}
