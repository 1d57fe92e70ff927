import type { ContractCase, HostRig } from './host-rig.test-support.ts';
import { kernelCases } from './kernel-cases.test-support.ts';
import { runnerCases } from './runner-cases.test-support.ts';
import { serviceCases } from './service-cases.test-support.ts';
import { unitCases } from './unit-cases.test-support.ts';

/** Cases that the agent relies on, on every kernel. */
export const hostContract: readonly ContractCase[] = [...serviceCases, ...runnerCases, ...kernelCases, ...unitCases];

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
  const play = async (each: ContractCase) => {
    const { title } = each;
    const because = skipReason(each, rig);
    if (because !== undefined) return report({ title, outcome: 'skipped', because });
    try {
      await each.run(rig);
      report({ title, outcome: 'passed' });
    } catch (error) {
      failures += 1;
      report({ title, outcome: 'failed', because: (error as Error).message });
    }
  };
  for (const each of hostContract.filter(({ together }) => together !== true)) {
    await play(each);
    await rig.reset();
  }
  await Promise.all(hostContract.filter(({ together }) => together === true).map(play));
  await rig.reset();
  return failures === 0;
}
