/** `problem`: it is happening. `notice`: it is as it should be, but worth knowing. `unknown`: could not be looked at. */
export type Verdict = 'ok' | 'notice' | 'problem' | 'unknown';

/** What one check found: every row of the specification's table of errors is one check. */
export interface Finding {
  readonly check: string;
  /** The condition in the specification's words. */
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
