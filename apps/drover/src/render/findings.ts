import type { DroverIo } from '../io.ts';
import type { StackOutputs } from '../output/read-outputs.ts';
import { type Colour, paint } from './colour.ts';
import { type Format, json } from './table.ts';

/** `notice`: normal, but worth knowing. `unknown`: could not be examined. */
type Verdict = 'ok' | 'notice' | 'problem' | 'unknown';

/** What one check of a doctor found. */
export interface Finding {
  readonly check: string;
  readonly condition: string;
  readonly verdict: Verdict;
  readonly evidence: string;
  /** The command or the change that fixes it. */
  readonly fix?: string;
}

export type Outcome = Pick<Finding, 'verdict' | 'evidence' | 'fix'>;

export const ok = (evidence: string): Outcome => ({ verdict: 'ok', evidence });
export const problem = (evidence: string, fix: string): Outcome => ({ verdict: 'problem', evidence, fix });
export const notice = (evidence: string, fix: string): Outcome => ({ verdict: 'notice', evidence, fix });

/** One condition that a doctor looks for. */
export interface Check<Facts> {
  readonly check: string;
  readonly condition: string;
  examine(facts: Facts): Outcome;
}

export const diagnose = <Facts>(checks: readonly Check<Facts>[], facts: Facts): Finding[] =>
  checks.map(({ check, condition, examine }) => ({ check, condition, ...examine(facts) }));

/** Prints the findings about a stack; exit code 1 if one of them is a problem. */
export function report(
  io: DroverIo,
  format: Format,
  subject: { readonly [kind: string]: string },
  outputs: StackOutputs,
  findings: readonly Finding[],
): number {
  const moduleVersion = outputs.get('module_version') ?? 'unknown';
  if (format === 'json') io.stdout(json({ ...subject, moduleVersion, findings }));
  else {
    const [name] = Object.values(subject);
    io.stdout(
      `${name}, module version ${moduleVersion}\n${findings.map((finding) => findingText(io, finding)).join('')}`,
    );
  }
  return findings.some(({ verdict }) => verdict === 'problem') ? 1 : 0;
}

const signs: Readonly<Record<Verdict, string>> = {
  ok: 'ok     ',
  notice: 'notice ',
  problem: 'PROBLEM',
  unknown: 'unknown',
};

const colours: Readonly<Record<Verdict, Colour>> = { ok: 'green', notice: 'yellow', problem: 'red', unknown: 'yellow' };

/** One line for a check that passed, up to three for another. */
function findingText(io: DroverIo, { check, condition, verdict, evidence, fix }: Finding): string {
  const head = `${paint(io, colours[verdict], signs[verdict])}  ${check}: `;
  if (verdict === 'ok') return `${head}${evidence}\n`;
  return `${head}${condition}\n         found: ${evidence}\n${fix === undefined ? '' : `         fix:   ${fix}\n`}`;
}
