/** A process that runs one question of the page, for `desk.ts`. */
import { availableParallelism, setPriority } from 'node:os';
import { describeError } from '@drover/core';
import type { WhatIfReport } from '@drover/observation/api';
import { comparisonOf, type Passed, traceIn } from '../compare.ts';
import { configurationOf } from '../configurations.ts';
import { comparisonReport } from '../report/comparison.ts';
import { comparisonSvg } from '../report/svg.ts';
import { generateTrace } from '../trace/generate-trace.ts';
import { writeTrace } from '../trace/trace.ts';
import type { ReplayRequest } from './request.ts';

/** One of these at a time. */
export interface FromWorker {
  readonly percent?: number;
  readonly note?: string;
  readonly problem?: string;
  readonly result?: { readonly report: WhatIfReport; readonly picture: string };
}

/** Programs that are served beside it go first. */
const niceness = 10;
const seed = 'drover';
const spotReclaimsPerDay = 0.05;

const over = new AbortController();
const send = (message: FromWorker) => void (process.connected && process.send!(message));

// Ctrl-C reaches every process of the terminal: who started this one ends it.
process.on('SIGINT', () => {});
process.once('disconnect', () => over.abort(new Error('cancelled')));
process.once('message', async (request: ReplayRequest) => {
  setPriority(niceness);
  try {
    const comparison = await answer(request);
    send({ result: { report: comparisonReport(comparison), picture: comparisonSvg(comparison) } });
  } catch (error) {
    send({ problem: describeError(error) });
  }
  if (process.connected) process.disconnect();
});

async function answer({ jobs, hours, maxWait, configurations: given }: ReplayRequest) {
  const note = (text: string) => send({ note: text.trim().replace(/^drover: /, '') });
  const title = jobs.kind === 'history' ? jobs.name : `sample ${jobs.kind}`;
  const text = jobs.kind === 'history' ? jobs.text : writeTrace(generateTrace(jobs.kind, seed));
  const trace = traceIn(text, { file: title, hours, note });
  const configurations = Object.entries(given).flatMap(([name, { inputs }]) =>
    configurationOf(name, inputs, (reason) => note(`left out: ${reason}`)),
  );
  const shares: number[] = [];
  const progress = (_: string, { index, count, passedMs, ofMs }: Passed) => {
    shares[index] = Math.min(1, passedMs / ofMs);
    send({ percent: Math.floor((100 * shares.reduce((sum, share) => sum + share, 0)) / count) });
  };
  // One processor is left for what is served beside it.
  const atOnce = Math.max(1, availableParallelism() - 1);
  return await comparisonOf(
    { signal: over.signal, stderr: note },
    { title, trace, configurations },
    { seed, spotReclaimsPerDay, maxWait, oneAtATime: false },
    progress,
    atOnce,
  );
}
