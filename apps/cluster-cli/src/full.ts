import { SystemRandom } from '@drover/core/random';
import { main } from './main.ts';
import { processIo } from './process-io.ts';

/** Runs any command line in this process. */
export const runFully = (argv: readonly string[], signal: AbortSignal): Promise<number> =>
  main(argv, { ...processIo({ signal }), random: new SystemRandom() });
