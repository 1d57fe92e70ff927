import { runnerService } from '@drover/core/names/runner-fleet';
import type { BootProgress, RunnerHost, ServiceStatus, Silence } from '@drover/runner-fleet';
import type { AgentConfig } from '../config.ts';
import { type JobProgress, jobBegunAt, readFailures } from '../logs/job-events.ts';
import { cleanBetweenJobs, noteBaseline } from './clean-between-jobs.ts';
import { configureRunner, runnerFiles } from './configure.ts';
import { drainOrderFile, parseOrder } from './drain-order.ts';
import type { Kernel, KernelProcess } from './kernel.ts';
import { findFlaw, noteConfigured } from './self-check.ts';
import { silenceRules } from './silence.ts';

/** In a folder that a boot empties, as it does the rules. */
const silencedFile = '/run/runner-agent/silenced';
/** In a folder that cloud-init keeps for one instance id: an image of this instance does not have it. */
export const lifeFile = '/var/lib/cloud/instance/runner-life';
/**
 * The words of a listener when it has a session, and when it will never have one again (actions/runner,
 * `MessageListener`).
 */
const sessionWords = /Connected to GitHub|(registration has been deleted from the server)/;

/** Written when cloud-init is done with everything, and again at each later boot: the one or the other. */
export const bootFiles = { done: '/run/drover/booted', failed: '/run/drover/boot-failed' } as const;
/** The runner's host on an operating system: the same on Linux and on a simulated machine. */
export function runnerHost(kernel: Kernel, config: AgentConfig): RunnerHost {
  const { runnerDirectory, runnerUser } = config;
  const workers = () => countWorkers(kernel, config);
  const order = () => kernel.readFile(drainOrderFile);
  const read: { cursor: string | undefined; progress: JobProgress } = { cursor: undefined, progress: 'none' };
  return {
    workers,
    isConfigured: () =>
      runnerFiles(runnerDirectory).some((file) => file.includes('.runner') && kernel.readFile(file) !== undefined),
    async configureRunner(registration) {
      const outcome = await configureRunner(kernel, config, registration);
      if (outcome.kind === 'configured') {
        noteConfigured(kernel, config);
        noteBaseline(kernel, config);
      }
      return outcome;
    },
    life() {
      const text = kernel.readFile(lifeFile);
      return text === undefined ? undefined : text.startsWith('served') ? 'served' : 'started';
    },
    noteLife: (life) => kernel.writeFile(lifeFile, life),
    async registrationDeleted() {
      const { lines } = await kernel.journal([runnerService], undefined);
      // Of the listener alone: a job can write into the same journal.
      const own = lines.filter(({ main }) => main).map(({ text }) => sessionWords.exec(text));
      const last = own.findLast((found) => found !== null);
      return last?.[1] !== undefined;
    },
    jobBegunAt: async () => jobBegunAt(await kernel.mainJournal(runnerService)),
    async jobFailedEarly() {
      const { lines, cursor } = await kernel.journal([runnerService], read.cursor);
      const { progress, failedEarly } = readFailures(read.progress, lines);
      Object.assign(read, { cursor, progress });
      return failedEarly;
    },
    cleanBetweenJobs: () => cleanBetweenJobs(kernel, config),
    findFlaw: () => findFlaw(kernel, config),
    service: () => serviceStatus(kernel),
    startService: () => kernel.startUnit(runnerService),
    stopService: () => kernel.stopUnit(runnerService),
    silence: (stage) => silence(kernel, runnerUser, stage),
    silenced: () => silenced(kernel),
    drainOrder: () => parseOrder(order()),
    boot: () => bootProgress(kernel),
    bootLog: () => bootLog(kernel),
    freeBytes: () => kernel.freeBytes(runnerDirectory),
    async waitForChange(mostMs) {
      const fingerprint = () => `${workers()}/${order()}/${bootProgress(kernel)}`;
      const before = fingerprint();
      // The end of the boot is what the launch waits for: looked for more often than a job, as long as it is to come.
      const everyMs = bootProgress(kernel) === 'running' ? lookForBootMs : undefined;
      await kernel.pause(mostMs, () => fingerprint() !== before, everyMs);
    },
  };
}

/** Asked, not remembered: a listener ends by itself for many reasons. */
function serviceStatus(kernel: Kernel): ServiceStatus {
  const { activeState, lastEnd } = kernel.unit(runnerService);
  const active = activeState !== 'inactive' && activeState !== 'failed';
  return { active, lastEnd: active ? undefined : lastEnd };
}

/**
 * Workers of the runner service: started by its listener, or left by one that was killed. A job that leaves a process of
 * this name behind does not keep the host busy: its parent is another.
 */
export function countWorkers(
  kernel: Kernel,
  { runnerDirectory, runnerUser }: Pick<AgentConfig, 'runnerDirectory' | 'runnerUser'>,
): number {
  const own = ({ user, unit, argv }: KernelProcess) =>
    user === runnerUser && unit === runnerService && argv[0]?.startsWith(`${runnerDirectory}/bin`);
  const workers = kernel.processesOf('Runner.Worker').filter(own);
  if (workers.length === 0) return 0;
  const listeners = new Set(
    kernel
      .processesOf('Runner.Listener')
      .filter(own)
      .map(({ pid }) => pid),
  );
  return listeners.size === 0 ? workers.length : workers.filter(({ parentPid }) => listeners.has(parentPid)).length;
}

/** The mark comes first and goes last: an agent that dies in between finds it and does it again. */
async function silence(kernel: Kernel, user: string, stage: Silence): Promise<void> {
  if (stage !== 'off') kernel.writeFile(silencedFile, stage);
  await kernel.loadFirewall(silenceRules(user, stage));
  if (stage === 'off') kernel.remove(silencedFile);
}

function silenced(kernel: Kernel): Silence {
  const stage = kernel.readFile(silencedFile);
  if (stage === undefined) return 'off';
  return stage === 'new-connections' ? stage : 'requests';
}

const lookForBootMs = 250;

/** cloud-init writes what the boot script and Puppet say, too. */
const bootLogFile = '/var/log/cloud-init-output.log';
const shownLines = 15;
const shownCharacters = 1500;

/** The last lines of a boot that failed. */
export const bootLog = (kernel: Pick<Kernel, 'readFile'>): string =>
  (kernel.readFile(bootLogFile) ?? '').trimEnd().split('\n').slice(-shownLines).join('\n').slice(-shownCharacters);

function bootProgress(kernel: Kernel): BootProgress {
  if (kernel.readFile(bootFiles.failed) !== undefined) return 'failed';
  return kernel.readFile(bootFiles.done) === undefined ? 'running' : 'done';
}
