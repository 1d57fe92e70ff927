import { writeFileSync } from 'node:fs';
import type { DroverIo } from '@drover/operator/io';
import { misuse, type WhatIfOptions } from './options.ts';
import { requireWritable } from './require-writable.ts';
import { generateTrace } from './trace/generate-trace.ts';
import { writeTrace } from './trace/trace.ts';

/** `drover what-if`: replays a job trace against configurations before they are deployed, or generates a trace. */
export async function whatIf(io: DroverIo, files: readonly string[], options: WhatIfOptions): Promise<number> {
  const wrong = misuse(files, options);
  if (wrong !== undefined) {
    io.stderr(`drover: ${wrong}\n`);
    return 2;
  }
  if (options.generate !== undefined) return generate(io, options);
  await (await import('./compare.ts')).compare(io, files, options);
  return 0;
}

function generate(io: DroverIo, { generate: kind, seed, out }: WhatIfOptions): number {
  requireWritable(out!);
  const jobs = generateTrace(kind!, seed);
  writeFileSync(out!, writeTrace(jobs));
  io.stderr(`${out}: ${jobs.length} jobs\n`);
  return 0;
}
