/** What the built file runs: the quick path if it can, else everything else, which is loaded only then. */
import { processIo } from './process-io.ts';
import { runQuickly } from './quick-run.ts';

const argv = process.argv.slice(2);
// The SDK's advice about Node versions is for developers; stderr belongs to the operator.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

async function run(): Promise<number> {
  const quick = await runQuickly(argv, processIo());
  if (quick !== undefined) return quick;
  const { runFully } = await import('./full.ts');
  return await runFully(argv);
}

void run().then((code) => {
  // Kept connections would hold the process for seconds; what was written to a pipe is flushed first.
  const end = () => process.exit(code);
  if (process.stdout.writableLength === 0) end();
  else process.stdout.write('', end);
});
