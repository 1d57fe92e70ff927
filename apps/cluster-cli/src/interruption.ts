import { Interrupted } from './io.ts';

/** Aborted by Ctrl-C, by the end of the terminal, and when the system asks to end. A second signal ends the process. */
export function interruption(): AbortSignal {
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => abort.abort(new Interrupted()));
  return abort.signal;
}
