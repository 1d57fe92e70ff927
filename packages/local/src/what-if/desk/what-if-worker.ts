/** A process that runs one question of the page, for `desk.ts`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describeError } from '@drover/core';
import type { WhatIfAnswer } from '@drover/observation/api';
import { processIo } from '@drover/operator/process-io';
import { stringify } from 'yaml';
import { comparisonOf, type Passed } from '../compare.ts';
import { comparisonSvg } from '../report/svg.ts';
import { generateTrace } from '../trace/generate-trace.ts';
import { writeTrace } from '../trace/trace.ts';
import { answerOf, titleOf } from './answer.ts';
import type { Asked } from './request.ts';

export interface ToWorker {
  readonly asked: Asked;
  /** The name of the deployed configuration. */
  readonly deployed: string;
}

export type FromWorker =
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'answer'; readonly answer: WhatIfAnswer; readonly picture: string }
  | { readonly kind: 'failure'; readonly reason: string };

/** Programs that are served beside it go first. */
const niceness = 10;
const seed = 'drover';
const spotReclaimsPerDay = 0.05;

const over = new AbortController();
const tell = (message: FromWorker) => void (process.connected && process.send!(message));

// Ctrl-C reaches every process of the terminal: who started this one ends it.
process.on('SIGINT', () => {});
process.once('disconnect', () => over.abort(new Error('cancelled')));
process.once('message', async (message: ToWorker) => {
  setPriority(niceness);
  const folder = mkdtempSync(join(tmpdir(), 'drover-what-if-'));
  try {
    await answer(message, folder);
  } catch (error) {
    tell({ kind: 'failure', reason: describeError(error) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (process.connected) process.disconnect();
});

async function answer({ asked, deployed }: ToWorker, folder: string): Promise<void> {
  const io = {
    ...processIo(over.signal),
    stderr: (text: string) => tell({ kind: 'note', text: noteOf(text, folder) }),
  };
  const files = Object.entries(asked.configurations).map(([name, inputs]) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, stringify(inputs));
    return file;
  });
  const jobs = join(folder, asked.jobs.kind === 'history' ? basename(asked.jobs.name) : `sample ${asked.jobs.kind}`);
  writeFileSync(
    jobs,
    asked.jobs.kind === 'history' ? asked.jobs.text : writeTrace(generateTrace(asked.jobs.kind, seed)),
  );
  const shares: number[] = [];
  const progress = (_: string, { index, count, passedMs, ofMs }: Passed) => {
    shares[index] = Math.min(1, passedMs / ofMs);
    const percent = Math.floor((100 * shares.reduce((sum, share) => sum + share, 0)) / count);
    tell({ kind: 'progress', percent });
  };
  const { maxWait, sweep, hours } = asked;
  const options = {
    ...{ jobs, sweep, maxWait, seed, spotReclaimsPerDay },
    ...(hours === undefined ? {} : { hours }),
    ...{ oneAtATime: false, modes: false, format: 'json' as const },
  };
  // One processor is left for what is served beside it.
  const atOnce = Math.max(1, availableParallelism() - 1);
  const compared = await comparisonOf(io, files, options, progress, atOnce);
  const comparison = { ...compared, figures: compared.figures.map((one) => ({ ...one, name: titleOf(one.name) })) };
  tell({ kind: 'answer', answer: answerOf(comparison, maxWait, deployed), picture: comparisonSvg(comparison) });
}

/** Without the names of files that only this process knows. */
const noteOf = (text: string, folder: string): string =>
  titleOf(
    text
      .trim()
      .replace(/^drover: /, '')
      .replaceAll(`${folder}/`, '')
      .replaceAll('.yaml', ''),
  );
