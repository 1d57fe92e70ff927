/** The process: what the built file runs. */
import { Interrupted } from './exit.ts';
import { main } from './main.ts';
import { endWhenNobodyReads, endWith, processIo } from './process-io.ts';

// The SDK's advice about Node versions is for developers; stderr belongs to the operator.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
endWhenNobodyReads();

// Ctrl-C, the end of the terminal, and a request of the system to end. A second signal ends the process at once.
const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => abort.abort(new Interrupted()));

// Kept connections would hold the process for seconds, so it is ended explicitly.
void main(process.argv.slice(2), processIo(abort.signal)).then(endWith);
