import { deadlineAt } from '../../decide/deadline.ts';
import type { CommissionCase, CommissionFacts } from '../../decide/launch/commission-facts.ts';
import type { GroupMember } from '../../model/lifecycle.ts';
import type { LifecycleHook } from '../../ports.ts';
import type { Polling } from '../poll-pause.ts';
import type { CommissionAws, CommissionSearch } from './gather-commission.ts';

/** The ports of a launch. */
export interface CommissionRun extends Polling {
  readonly search: CommissionSearch;
  readonly aws: CommissionAws | undefined;
  readonly report: CommissionReporter;
}

/** Notified of the progress of a launch. */
export interface CommissionReporter {
  onWait(because: string, facts: CommissionFacts): void | Promise<void>;
  onAction(what: string): void;
  onWarning(what: string): void;
}

/** Collects what holds for the whole run of a launch. */
export async function commissionCase(
  options: {
    readonly waitMs: number;
    readonly hookName: string | undefined;
    readonly member: GroupMember | undefined;
    readonly resourceName?: string | undefined;
  },
  hooks: LifecycleHook | undefined,
  now: number,
): Promise<CommissionCase> {
  const { member, hookName, waitMs, resourceName } = options;
  if (member === undefined || hookName === undefined || hooks === undefined)
    return { launch: undefined, deadlineAt: now + waitMs };
  const hook = await hooks.describe(member, hookName);
  return { launch: { member, hook }, resourceName, deadlineAt: deadlineAt(now, waitMs, hook) };
}
