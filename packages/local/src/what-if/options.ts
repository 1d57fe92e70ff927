import type { Format } from '@drover/operator/render/table';
import type { TraceKind } from './trace/generate-trace.ts';

/** The command line of `drover what-if`. */
export interface WhatIfOptions {
  readonly jobs?: string;
  readonly hours?: number;
  readonly fromLabel?: string;
  /** Of files with types: the type that is meant. */
  readonly type?: string;
  readonly oneAtATime: boolean;
  /** Also each configuration in both modes. */
  readonly modes: boolean;
  /** Also a fixed number of runners. */
  readonly fixed?: number;
  /** Inputs with their values, `KEY=VALUE,VALUE…`: every combination is replayed. */
  readonly sweep: readonly string[];
  /** Which is the cheapest with a p95 wait of at most this many seconds? */
  readonly maxWait?: number;
  readonly prices?: string;
  /** How often a running spot instance is taken away, on average. */
  readonly spotReclaimsPerDay: number;
  readonly svg?: string;
  readonly format: Format;
  readonly seed: string;
  readonly generate?: TraceKind;
  readonly out?: string;
  readonly printExample?: 'fleet';
}

/** Options that do not fit together: what is wrong, or undefined. */
export function misuse(configurations: readonly string[], options: WhatIfOptions): string | undefined {
  if (options.generate !== undefined) {
    if (options.out === undefined) return '--generate needs --out FILE: where the trace is written';
    if (configurations.length > 0 || options.jobs !== undefined)
      return '--generate only writes a trace; replay it with a second command: drover what-if CONFIG… --jobs FILE';
    return undefined;
  }
  if (options.out !== undefined) return '--out belongs to --generate; a picture is written with --svg FILE';
  if (configurations.length === 0) return 'no configuration is given: drover what-if CONFIG… --jobs TRACE';
  if (options.jobs === undefined)
    return '--jobs TRACE is missing: a CSV of queued_at,duration_seconds,labels, or jobs as JSON of the REST API (drover what-if --generate week --out FILE makes one)';
  return undefined;
}
