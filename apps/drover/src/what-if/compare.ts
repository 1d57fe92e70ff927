import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { TerminalError } from '@drover/core';
import { labels as fleetLabels } from '@drover/core/names/runner-fleet';
import type { DroverIo } from '../io.ts';
import { json } from '../render/table.ts';
import { assemble, type Candidate } from './assemble.ts';
import { readConfigurations } from './configurations.ts';
import type { WhatIfOptions } from './options.ts';
import { type PriceTable, readPrices, requirePrices } from './prices.ts';
import { type Figures, figuresOf } from './replay/figures.ts';
import { replayApart } from './replay/replay-apart.ts';
import { comparisonSvg } from './report/svg.ts';
import { comparisonText } from './report/text.ts';
import { requireWritable } from './require-writable.ts';
import { firstHours, parseTrace, type Trace } from './trace.ts';

/** Replays the trace against each configuration and reports how they differ. */
export async function compare(io: DroverIo, files: readonly string[], options: WhatIfOptions): Promise<void> {
  if (options.svg !== undefined) requireWritable(options.svg);
  const trace = readTrace(options);
  const prices = readPrices(options.prices);
  const candidates = candidatesOf(files, options);
  try {
    for (const { instanceTypes, name } of candidates) requirePrices(prices, instanceTypes, name);
    for (const candidate of candidates)
      for (const warning of unservedLabels(candidate, trace)) io.stderr(`drover: ${warning}\n`);
    const figures = await replayAll(io, candidates, trace, prices, options);
    if (options.svg !== undefined) {
      const title = `${basename(options.jobs!)}: ${trace.jobs.length} jobs in ${hoursOf(trace)} hours`;
      writeFileSync(options.svg, comparisonSvg(title, prices, figures));
    }
    io.stdout(options.format === 'json' ? asJson(trace, prices, figures) : comparisonText(trace, prices, figures));
  } finally {
    for (const { assembly } of candidates) rmSync(assembly, { recursive: true, force: true });
  }
}

function readTrace({ jobs, hours }: WhatIfOptions): Trace {
  let text: string;
  try {
    text = readFileSync(jobs!, 'utf8');
  } catch (error) {
    throw new TerminalError(`the trace ${jobs} cannot be read (${(error as Error).message})`);
  }
  const trace = parseTrace(text, jobs!);
  return hours === undefined ? trace : firstHours(trace, hours);
}

function candidatesOf(files: readonly string[], { oneAtATime }: WhatIfOptions): Candidate[] {
  return readConfigurations(files).flatMap((configuration) => [
    assemble(configuration, 'drover'),
    ...(oneAtATime ? [assemble(configuration, 'one-at-a-time')] : []),
  ]);
}

async function replayAll(
  io: DroverIo,
  candidates: readonly Candidate[],
  trace: Trace,
  prices: PriceTable,
  { seed, spotReclaimsPerDay }: WhatIfOptions,
): Promise<Figures[]> {
  const figures: Figures[] = [];
  const failed = new AbortController();
  const signal = AbortSignal.any([io.signal, failed.signal]);
  const waiting = [...candidates.entries()];
  /** Takes one candidate after the other. */
  const replayWaiting = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, candidate] = next;
      const who = `${candidate.name} (${index + 1} of ${candidates.length})`;
      const progress = (passedMs: number, ofMs: number) => {
        const line = progressLine(passedMs, ofMs);
        if (line !== undefined) io.stderr(`${who}: ${line}\n`);
      };
      const outcome = await replayApart(candidate, trace, { seed, spotReclaimsPerDay, signal, progress });
      figures[index] = figuresOf(candidate, outcome, prices);
    }
  };
  const beside = Math.min(candidates.length, availableParallelism());
  await Promise.all(
    Array.from({ length: beside }, () =>
      replayWaiting().catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
    ),
  );
  return figures;
}

const hourMs = 3_600_000;
const hoursOf = ({ startMs, endMs }: Trace) => (endMs - startMs) / hourMs;

/** One line each quarter of a simulated day, and one at the end. */
function progressLine(passedMs: number, ofMs: number): string | undefined {
  if ((passedMs / hourMs) % 6 !== 0 && passedMs < ofMs) return undefined;
  const day = Math.ceil(passedMs / (24 * hourMs));
  return `day ${day} of ${Math.ceil(ofMs / (24 * hourMs))}, ${Math.round((passedMs / ofMs) * 100)} %`;
}

const asJson = (trace: Trace, { instanceHour: _, ...prices }: PriceTable, configurations: readonly Figures[]) =>
  json({
    trace: {
      jobs: trace.jobs.length,
      from: new Date(trace.startMs).toISOString(),
      to: new Date(trace.endMs).toISOString(),
    },
    prices,
    configurations,
  });

/** Every runner of the replay has these. Labels are compared without regard to case. */
const everywhere = fleetLabels.usual('x64').map((label) => label.toLowerCase());

/** Labels that jobs ask for and no runner of a candidate has: such jobs wait for a day and are dropped. */
function unservedLabels({ name, extraLabels }: Candidate, trace: Trace): string[] {
  const counts = new Map<string, number>();
  for (const { labels } of trace.jobs)
    for (const label of new Set(labels.map((each) => each.toLowerCase())))
      if (!everywhere.includes(label) && !extraLabels.includes(label)) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].map(
    ([label, count]) =>
      `${name}: ${count} jobs ask for the label ${label}, which no runner has; add it to extra_labels or they are lost after a day`,
  );
}
