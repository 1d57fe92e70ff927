import { exitCodes } from '@drover/operator/exit-codes';
import { processIo } from '@drover/operator/process-io';
import { main } from './main.ts';

/** Runs one command line as this process. The first Ctrl-C ends it in order, the second one at once. */
export async function enter(argv: readonly string[], prepare?: () => Promise<void>): Promise<void> {
  // The SDK's warnings about coming versions of Node are for those who choose the SDK's version.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(exitCodes.interrupted);
      stop.abort();
    });
  process.exitCode = await main(argv, { ...processIo(stop.signal), ...(prepare === undefined ? {} : { prepare }) });
  // Simulated work may still be running; it is not waited for.
  if (stop.signal.aborted) process.exit();
}
