/** `problem`: it is happening. `notice`: it is as it should be, but worth knowing. `unknown`: could not be looked at. */
type Verdict = 'ok' | 'notice' | 'problem' | 'unknown';

/** What one check of a doctor found. */
export interface Finding {
  readonly check: string;
  /** The condition in the specification's words, where it has some. */
  readonly condition: string;
  readonly verdict: Verdict;
  readonly evidence: string;
  /** The command or the change that ends it. */
  readonly fix?: string;
}

export type Outcome = Pick<Finding, 'verdict' | 'evidence' | 'fix'>;

export const ok = (evidence: string): Outcome => ({ verdict: 'ok', evidence });
export const problem = (evidence: string, fix: string): Outcome => ({ verdict: 'problem', evidence, fix });
export const notice = (evidence: string, fix: string): Outcome => ({ verdict: 'notice', evidence, fix });

const signs: Readonly<Record<Verdict, string>> = {
  ok: 'ok     ',
  notice: 'notice ',
  problem: 'PROBLEM',
  unknown: 'unknown',
};

/** For people: one line for what is well, three for what is not. */
export function findingText({ check, condition, verdict, evidence, fix }: Finding): string {
  const head = `${signs[verdict]}  ${check}: `;
  if (verdict === 'ok') return `${head}${evidence}\n`;
  return `${head}${condition}\n         found: ${evidence}\n${fix === undefined ? '' : `         fix:   ${fix}\n`}`;
}
