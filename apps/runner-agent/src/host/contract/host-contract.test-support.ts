import type { ContractCase, HostRig } from './host-rig.test-support.ts';
import { kernelCases } from './kernel-cases.test-support.ts';
import { runnerCases } from './runner-cases.test-support.ts';
import { serviceCases } from './service-cases.test-support.ts';

/** Cases that the agent relies on, on every kernel. */
export const hostContract: readonly ContractCase[] = [...serviceCases, ...runnerCases, ...kernelCases];

/** Why a case is not run on this rig; undefined when it is. */
export const skipReason = ({ needs }: ContractCase, { lacks }: HostRig): string | undefined =>
  needs.map((need) => lacks[need]).find((reason) => reason !== undefined);

export interface CaseOutcome {
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped. */
  readonly because?: string;
}

/** Runs every case on one kernel and reports how each went; returns whether none failed. Needs no test framework. */
export async function runHostContract(rig: HostRig, report: (outcome: CaseOutcome) => void): Promise<boolean> {
  let failures = 0;
  for (const each of hostContract) {
    const { title } = each;
    const because = skipReason(each, rig);
    if (because !== undefined) {
      report({ title, outcome: 'skipped', because });
      continue;
    }
    try {
      await each.run(rig);
      report({ title, outcome: 'passed' });
    } catch (error) {
      failures += 1;
      report({ title, outcome: 'failed', because: (error as Error).message });
    } finally {
      await rig.reset();
    }
  }
  return failures === 0;
}
