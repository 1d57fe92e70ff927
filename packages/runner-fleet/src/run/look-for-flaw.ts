import { describeError, type Logger } from '@drover/core';
import type { RunnerHost } from '../host-ports.ts';
import type { HostFlaw } from '../model/fleet.ts';

/** A flaw stays until the host is replaced: a broken host must not come back. */
export interface FlawWatch {
  suspected: boolean;
  found: HostFlaw | undefined;
}

interface Ports {
  readonly log: Logger;
  readonly host: Pick<RunnerHost, 'jobFailedEarly' | 'findFlaw'>;
}

/**
 * After a job that failed before its started hook ran the host looks at itself: GitHub gives the next job to a broken host within seconds, for it is
 * idle again (docs/decisions/0084).
 */
export async function lookForFlaw({ host, log }: Ports, watch: FlawWatch): Promise<void> {
  if (watch.found !== undefined) return;
  try {
    // A job that could begin since then shows that the host is sound.
    watch.suspected = (await host.jobFailedEarly()) ?? watch.suspected;
    if (!watch.suspected) return;
    watch.found = await host.findFlaw();
    watch.suspected = false;
    if (watch.found === undefined) log.info('a job failed before it started, and this host is sound');
    else log.error('this host is broken: no job can begin here', { because: watch.found });
  } catch (error) {
    log.warn('whether this host is broken could not be found out', { error: describeError(error) });
  }
}
