/** What the built file runs: the quick path if it can, else everything else, which is loaded only then. */
import { bareExchange } from '@drover/adapters/search/bare/bare-exchange';
import { interruption } from './interruption.ts';
import { processIo } from './process-io.ts';
import { runQuickly } from './quick-run.ts';
import { endWhenNobodyReads, endWith } from './stdout.ts';

const argv = process.argv.slice(2);
// The SDK's advice about Node versions is for developers; stderr belongs to the operator.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
endWhenNobodyReads();

async function run(): Promise<number> {
  const signal = interruption();
  const quick = await runQuickly(argv, processIo({ signal, plain: bareExchange }));
  if (quick !== undefined) return quick;
  const { runFully } = await import('./full.ts');
  return await runFully(argv, signal);
}

// Kept connections would hold the process for seconds.
void run().then(endWith);
