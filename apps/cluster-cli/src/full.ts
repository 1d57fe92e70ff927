import { SystemRandom } from '@drover/core/random';
import { Interrupted } from './io.ts';
import { main } from './main.ts';
import { processIo } from './process-io.ts';

/** Runs any command line in this process. */
export function runFully(argv: readonly string[]): Promise<number> {
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => abort.abort(new Interrupted()));
  return main(argv, { ...processIo(), random: new SystemRandom(), signal: abort.signal });
}
