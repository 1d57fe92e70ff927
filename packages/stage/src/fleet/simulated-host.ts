import { asFetch } from '@drover/cloud-engine';
import { type CodeHost, runnerFile, workerName } from '@drover/cloud-github';
import type { ProcessContext } from '@drover/cloud-machines';
import { runnerService, labels as usualLabels } from '@drover/core/names/runner-fleet';
import { drainOrderFile, parseOrder } from '@drover/runner-agent';
import type { ConfigureOutcome, RunnerHost } from '@drover/runner-fleet';
import type { WakeSignal } from './wake-signals.ts';

/** How long GitHub may take to answer `config.sh`. */
const configureTimeoutMs = 60_000;

/** A host in service still reports this often. */
const restMs = 300_000;

/** A machine of the embedded cloud as the agent's host. `settled`: there is nothing that the agent wants to change. */
export function simulatedHost(
  context: ProcessContext,
  codeHost: CodeHost,
  signal: WakeSignal,
  settled: (busy: boolean) => boolean,
): RunnerHost {
  const { machine, clock } = context;
  const workers = () => machine.processes().filter((process) => process.name === workerName).length;
  // Every change wakes the agent, also one of a Worker, so a host in service need not poll every few seconds.
  const restful = () =>
    machine.serviceState(runnerService) === 'active' && !machine.files.has(drainOrderFile) && settled(workers() > 0);
  return {
    workers,
    isConfigured: () => machine.files.has(runnerFile),
    configureRunner: (registration) => configure(context, codeHost, registration),
    serviceActive: () => machine.serviceState(runnerService) === 'active',
    startService: async () => machine.startService(runnerService),
    stopService: () => machine.stopService(runnerService),
    silence: async (on) => machine.cutOff(runnerService, on),
    silenced: () => machine.isCutOff(runnerService),
    drainOrder: () => parseOrder(machine.files.get(drainOrderFile)),
    waitForChange: (mostMs) => signal.wait(clock, restful() ? Math.max(mostMs, restMs) : mostMs),
  };
}

/** What `config.sh` does: asks GitHub, then writes down which runner this is. */
async function configure(
  context: ProcessContext,
  codeHost: CodeHost,
  { token, name, labels }: Parameters<RunnerHost['configureRunner']>[0],
): Promise<ConfigureOutcome> {
  const abort = new AbortController();
  const timer = context.clock.after(configureTimeoutMs, () => abort.abort(new Error('no answer from the platform')));
  try {
    const response = await asFetch(context.http)(`${codeHost.apiUrl}/actions/runner-registration`, {
      method: 'POST',
      headers: { authorization: `RemoteAuth ${token.reveal()}`, 'user-agent': 'actions-runner' },
      body: JSON.stringify({
        name,
        labels: [...usualLabels.usual('x64'), ...labels],
        no_default_labels: true,
        replace: true,
        runner_group: runnerGroupOf(context),
      }),
      signal: abort.signal,
    });
    if (!response.ok) return { kind: 'platform-failed', message: `the platform answered ${response.status}` };
    context.machine.files.set(runnerFile, await response.text());
    return { kind: 'configured' };
  } catch (error) {
    return { kind: 'platform-failed', message: (error as Error).message };
  } finally {
    timer.cancel();
  }
}

/** As the real agent does it, the group goes to `config.sh` from the agent's configuration. */
function runnerGroupOf({ machine }: ProcessContext): string | undefined {
  const { runner_group: group } = JSON.parse(machine.files.get('/etc/runner-agent/config.json') ?? '{}') as {
    readonly runner_group?: string;
  };
  return group;
}
