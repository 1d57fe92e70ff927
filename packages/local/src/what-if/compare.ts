import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { TerminalError } from '@drover/core';
import { hostedCostOf, type PriceTable, readPrices, requirePrices } from '@drover/operator/fleet/prices';
import type { DroverIo } from '@drover/operator/io';
import { json } from '@drover/operator/render/table';
import { assemble, type Candidate } from './assemble.ts';
import { type Configuration, chosenConfigurations } from './configurations.ts';
import type { WhatIfOptions } from './options.ts';
import { type Figures, figuresOf } from './replay/figures.ts';
import { replayApart } from './replay/replay-apart.ts';
import { type Comparison, comparisonReport } from './report/comparison.ts';
import { comparisonSvg } from './report/svg.ts';
import { comparisonText } from './report/text.ts';
import { requireWritable } from './require-writable.ts';
import { isHistory, parseHistory } from './trace/history.ts';
import { firstHours, fromLabel, parseTrace, type Trace, usualLabels } from './trace/trace.ts';

/** Called for each candidate after each simulated hour. */
export type ReplayProgress = (candidate: string, of: Passed) => void;

export interface Passed {
  /** Its place among the candidates, from 0. */
  readonly index: number;
  readonly count: number;
  readonly passedMs: number;
  readonly ofMs: number;
}

/** A trace, and the configurations that it is replayed against. */
export interface Question {
  readonly title: string;
  readonly trace: Trace;
  readonly configurations: readonly Configuration[];
}

/** Replays the trace against each configuration and reports how they differ. */
export async function compare(io: DroverIo, files: readonly string[], options: WhatIfOptions): Promise<void> {
  if (options.svg !== undefined) requireWritable(options.svg);
  const trace = readTrace(io, options);
  const left = (reason: string) => io.stderr(`drover: left out: ${reason}\n`);
  const question = {
    title: basename(options.jobs!),
    trace,
    configurations: chosenConfigurations(files, options, left),
  };
  const comparison = await comparisonOf(io, question, options, (candidate, { index, count, passedMs, ofMs }) => {
    const line = progressLine(passedMs, ofMs);
    if (line !== undefined) io.stderr(`${candidate} (${index + 1} of ${count}): ${line}\n`);
  });
  if (options.svg !== undefined) writeFileSync(options.svg, comparisonSvg(comparison));
  io.stdout(options.format === 'json' ? json(comparisonReport(comparison)) : comparisonText(comparison));
}

/** Makes the comparison. Labels that no runner has are reported on stderr. */
export async function comparisonOf(
  io: Pick<DroverIo, 'stderr' | 'signal'>,
  { title, trace, configurations }: Question,
  options: Pick<WhatIfOptions, 'prices' | 'maxWait' | 'oneAtATime' | 'seed' | 'spotReclaimsPerDay'>,
  progress: ReplayProgress,
  atOnce = availableParallelism(),
): Promise<Comparison> {
  const prices = readPrices(options.prices);
  const candidates = candidatesOf(configurations, options.oneAtATime);
  try {
    for (const { instanceTypes, name } of candidates) requirePrices(prices, instanceTypes, name);
    for (const candidate of candidates)
      for (const warning of unservedLabels(candidate, trace)) io.stderr(`drover: ${warning}\n`);
    const figures = await replayAll({ candidates, trace, prices, atOnce, signal: io.signal }, options, progress);
    return {
      title: `${title}: ${trace.jobs.length} jobs in ${(trace.endMs - trace.startMs) / hourMs} hours`,
      ...{ trace, prices, figures, maxWait: options.maxWait, hosted: hostedCostOf(trace, prices) },
    };
  } finally {
    for (const { assembly } of candidates) rmSync(assembly, { recursive: true, force: true });
  }
}

function readTrace(io: DroverIo, { jobs: file, hours, fromLabel: label }: WhatIfOptions): Trace {
  let text: string;
  try {
    text = readFileSync(file!, 'utf8');
  } catch (error) {
    throw new TerminalError(`the trace ${file} cannot be read (${(error as Error).message})`);
  }
  return traceIn(text, { file: file!, hours, fromLabel: label, note: (line) => io.stderr(`drover: ${line}\n`) });
}

/** A trace, or jobs as GitHub lists them; only the jobs that are asked for. */
export function traceIn(
  text: string,
  {
    file,
    hours,
    fromLabel: label,
    note,
  }: {
    readonly file: string;
    readonly hours: number | undefined;
    readonly fromLabel?: string | undefined;
    readonly note: (line: string) => void;
  },
): Trace {
  const { trace, notes } = isHistory(text) ? parseHistory(text, file) : { trace: parseTrace(text, file), notes: [] };
  for (const line of notes) note(line);
  const chosen = label === undefined ? trace : fromLabel(trace, label);
  return hours === undefined ? chosen : firstHours(chosen, hours);
}

/** Each takes minutes of processor time. */
const mostCandidates = 64;

function candidatesOf(configurations: readonly Configuration[], oneAtATime: boolean): Candidate[] {
  const count = configurations.length * (oneAtATime ? 2 : 1);
  if (count === 0 || count > mostCandidates)
    throw new TerminalError(`${count} configurations would be replayed; allowed are 1 to ${mostCandidates}`);
  return configurations.flatMap((configuration) => [
    assemble(configuration, 'drover'),
    // Jobs mode has no steps.
    ...(oneAtATime && configuration.inputs.scalingMode !== 'jobs' ? [assemble(configuration, 'one-at-a-time')] : []),
  ]);
}

interface Work {
  readonly candidates: readonly Candidate[];
  readonly trace: Trace;
  readonly prices: PriceTable;
  readonly atOnce: number;
  readonly signal: AbortSignal;
}

async function replayAll(
  { candidates, trace, prices, atOnce, signal: given }: Work,
  { seed, spotReclaimsPerDay }: Pick<WhatIfOptions, 'seed' | 'spotReclaimsPerDay'>,
  progress: ReplayProgress,
): Promise<Figures[]> {
  const figures: Figures[] = [];
  const failed = new AbortController();
  const signal = AbortSignal.any([given, failed.signal]);
  const waiting = [...candidates.entries()];
  const count = candidates.length;
  /** Takes one candidate after the other. */
  const replayWaiting = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, candidate] = next;
      const report = (passedMs: number, ofMs: number) => progress(candidate.name, { index, count, passedMs, ofMs });
      const outcome = await replayApart(candidate, trace, { seed, spotReclaimsPerDay, signal, progress: report });
      figures[index] = figuresOf(candidate, outcome, prices);
    }
  };
  await Promise.all(
    Array.from({ length: Math.min(count, atOnce) }, () =>
      replayWaiting().catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
    ),
  );
  return figures;
}

const hourMs = 3_600_000;

/** One line each quarter of a simulated day, and one at the end. */
function progressLine(passedMs: number, ofMs: number): string | undefined {
  if ((passedMs / hourMs) % 6 !== 0 && passedMs < ofMs) return undefined;
  const day = Math.ceil(passedMs / (24 * hourMs));
  return `day ${day} of ${Math.ceil(ofMs / (24 * hourMs))}, ${Math.round((passedMs / ofMs) * 100)} %`;
}

/** Labels that jobs ask for and no runner of a candidate has: such jobs wait for a day and are dropped. */
function unservedLabels({ name, extraLabels }: Candidate, trace: Trace): string[] {
  const counts = new Map<string, number>();
  for (const { labels } of trace.jobs)
    for (const label of new Set(labels.map((each) => each.toLowerCase())))
      if (!usualLabels.includes(label) && !extraLabels.includes(label)) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].map(
    ([label, count]) =>
      `${name}: ${count} jobs ask for the label ${label}, which no runner has; add it to extra_labels or they are lost after a day`,
  );
}
