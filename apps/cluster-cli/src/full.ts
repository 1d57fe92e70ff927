import { SystemRandom } from '@drover/core/random';
import { interruption } from './interruption.ts';
import { main } from './main.ts';
import { processIo } from './process-io.ts';

/** Runs any command line in this process. */
export const runFully = (argv: readonly string[]): Promise<number> =>
  main(argv, { ...processIo(), random: new SystemRandom(), signal: interruption() });
