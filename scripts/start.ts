/** Builds everything and runs the whole system on this machine: `npm start -- --help` tells what can be chosen. */
import { main } from '../apps/drover/src/main.ts';
import { processIo } from '../apps/drover/src/process-io.ts';
import { buildAll } from './build/all.ts';

// What the SDK says about coming versions of Node is for those who choose the SDK's version.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // The second one does not wait.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  });
if (!process.argv.includes('--help')) {
  process.stderr.write('building the functions, the agent, the commands and the console\n');
  await buildAll();
}
process.exit(await main(['local', ...process.argv.slice(2)], processIo(stop.signal)));
