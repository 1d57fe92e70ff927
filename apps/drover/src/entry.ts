import { main } from './main.ts';
import { processIo } from './process-io.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // The second one does not wait.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  });
process.exitCode = await main(process.argv.slice(2), processIo(stop.signal));
