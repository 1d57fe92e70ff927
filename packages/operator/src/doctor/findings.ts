import { exitCodes } from '../exit-codes.ts';
import type { DroverIo } from '../io.ts';
import type { StackOutputs } from '../output/read-outputs.ts';
import { type Colour, paint } from '../render/colour.ts';
import { shortened } from '../render/short.ts';
import { type Format, json } from '../render/table.ts';

/** `notice`: normal, but worth knowing. `unknown`: could not be examined. */
type Verdict = 'ok' | 'notice' | 'problem' | 'unknown';

/** The result of one check of a doctor. */
export interface Finding {
  readonly check: string;
  /** The topic of the check, worded for when all is well. */
  readonly topic: string;
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

export const unknown = (evidence: string, fix?: string): Outcome => ({
  verdict: 'unknown',
  evidence,
  ...(fix === undefined ? {} : { fix }),
});

/** One condition that a doctor looks for. */
export interface Check<Facts> extends Pick<Finding, 'check' | 'topic' | 'condition'> {
  /** `before` is what the checks above this one in the list have found. */
  readonly examine: (facts: Facts, before: readonly Finding[]) => Outcome;
}

/** The topic of a check, the condition that it looks for, and how. */
export type CheckRow<Facts> = readonly [topic: string, condition: string, examine: Check<Facts>['examine']];

/** The checks of a doctor by their names, in the order of its findings. */
export const checksOf = <Facts>(rows: Readonly<Record<string, CheckRow<Facts>>>): readonly Check<Facts>[] =>
  Object.entries(rows).map(([check, [topic, condition, examine]]) => ({ check, topic, condition, examine }));

/** Every check on facts that were gathered once, in the order of the list. */
export function diagnose<Facts>(checks: readonly Check<Facts>[], facts: Facts): Finding[] {
  const found: Finding[] = [];
  for (const { check, topic, condition, examine } of checks)
    found.push({ check, topic, condition, ...examine(facts, found) });
  return found;
}

/** A doctor's diagnosis of a stack. */
interface Diagnosis {
  readonly findings: readonly Finding[];
  /** Which single losses it survives as it is configured. */
  readonly survives: string;
}

/** Prints the findings about a stack, what needs attention first; exit code 1 if one of them is a problem, 3 if a check could not be made. */
export function report(
  io: DroverIo,
  format: Format,
  subject: { readonly [kind: string]: string },
  outputs: StackOutputs,
  { findings, survives }: Diagnosis,
): number {
  const moduleVersion = outputs.get('module_version') ?? 'unknown';
  const [name] = Object.values(subject);
  if (format === 'json')
    io.stdout(json({ ...subject, moduleVersion, summary: summaryOf(findings), survives, findings }));
  else
    io.stdout(
      `${name}, module version ${moduleVersion}: ${summaryOf(findings)}\nas configured, it ${survives}\n\n${findingsText(io, findings)}`,
    );
  return exitCodeOf(findings);
}

/** 1 if one of them is a problem, 3 if a check could not be made. */
export function exitCodeOf(findings: readonly Finding[]): number {
  const has = (wanted: Verdict) => findings.some(({ verdict }) => verdict === wanted);
  return has('problem') ? exitCodes.failed : has('unknown') ? exitCodes.notAllRead : exitCodes.done;
}

/** `2 things need attention, 1 notice, 31 checks are well`. */
export function summaryOf(findings: readonly Finding[]): string {
  const count = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length;
  const counted = (number: number, one: string, many: string) =>
    number === 0 ? [] : [number === 1 ? `1 ${one}` : `${number} ${many}`];
  return [
    ...(count('problem') === 0 ? [count('unknown') === 0 ? 'nothing needs attention' : 'no problem was found'] : []),
    ...counted(count('problem'), 'thing needs attention', 'things need attention'),
    ...counted(count('notice'), 'notice', 'notices'),
    ...counted(count('unknown'), 'check could not be made', 'checks could not be made'),
    ...counted(count('ok'), 'check is well', 'checks are well'),
  ].join(', ');
}

const order: readonly Verdict[] = ['problem', 'notice', 'unknown', 'ok'];
const signs: Readonly<Record<Verdict, string>> = {
  ok: 'ok     ',
  notice: 'notice ',
  problem: 'PROBLEM',
  unknown: 'unknown',
};
const colours: Readonly<Record<Verdict, Colour>> = { ok: 'green', notice: 'yellow', problem: 'red', unknown: 'yellow' };

/** Grouped by outcome. A reason that keeps many checks from being made is reported once. */
function findingsText(io: DroverIo, findings: readonly Finding[]): string {
  const sorted = order.flatMap((verdict) => findings.filter((finding) => finding.verdict === verdict));
  const same = (one: Finding, other: Finding) =>
    one.verdict === 'unknown' && other.verdict === 'unknown' && one.evidence === other.evidence;
  const texts = sorted.map((finding) => {
    const alike = sorted.filter((other) => same(finding, other));
    return alike.length > 0 && alike[0] !== finding ? '' : findingText(io, finding, alike);
  });
  return texts.join('');
}

/** One line for a check that passed, up to three for another. */
function findingText(io: DroverIo, finding: Finding, alike: readonly Finding[]): string {
  const { check, topic, condition, verdict, evidence, fix } = finding;
  const sign = `${paint(io, colours[verdict], signs[verdict])}  `;
  if (verdict === 'ok') return `${sign}${topic}: ${shortened(evidence)}\n`;
  const head = alike.length > 1 ? `${alike.map((one) => one.check).join(', ')}` : `${check}: ${condition}`;
  const found = `         found: ${shortened(evidence)}\n`;
  return `${sign}${head}\n${found}${fix === undefined ? '' : `         fix:   ${fix}\n`}`;
}
