import { type CodeHost, runnerFile, runnerSoftware, workerName } from '@drover/cloud-github';
import type { ProcessContext } from '@drover/cloud-machines';
import { runnerService, labels as usualLabels } from '@drover/core/names/runner-fleet';
import { drainOrderFile, parseOrder } from '@drover/runner-agent';
import type { ConfigureOutcome, RunnerHost } from '@drover/runner-fleet';
import type { WakeSignal } from './wake-signals.ts';

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

/** Runs `config.sh` as the runner's user; a configuration from before is in its way. */
async function configure(
  context: ProcessContext,
  codeHost: CodeHost,
  { token, name, labels }: Parameters<RunnerHost['configureRunner']>[0],
): Promise<ConfigureOutcome> {
  const { config } = runnerSoftware(codeHost);
  const run = async (...args: readonly string[]) => {
    const env = { ACTIONS_RUNNER_INPUT_TOKEN: token.reveal() };
    return await context.spawn('config.sh', config, { argv: ['config.sh', ...args], user: runnerService, env }).ended;
  };
  await run('remove', '--local');
  const group = runnerGroupOf(context);
  const allLabels = [...usualLabels.usual('x64'), ...labels].join(',');
  const code = await run(
    ...['--unattended', '--replace', '--disableupdate', '--no-default-labels'],
    ...['--url', `${codeHost.webUrl}/${codeHost.org}`, '--name', name, '--labels', allLabels],
    ...(group === undefined ? [] : ['--runnergroup', group]),
  );
  if (code === 0) return { kind: 'configured' };
  return { kind: 'platform-failed', message: `config.sh ended with ${code}` };
}

/** As the real agent does it, the group goes to `config.sh` from the agent's configuration. */
function runnerGroupOf({ machine }: ProcessContext): string | undefined {
  const { runner_group: group } = JSON.parse(machine.files.get('/etc/runner-agent/config.json') ?? '{}') as {
    readonly runner_group?: string;
  };
  return group;
}
