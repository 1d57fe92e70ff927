import { asFetch } from '@drover/cloud-engine';
import type { MachineView, ProcessContext, Program } from '@drover/cloud-machines';
import { knownKey } from '../../actions-service/runner-keys.ts';
import type { RunnerRegistry } from '../../runners/runner-registry.ts';
import { configure } from '../configure.ts';
import { registrationOver, serviceClient } from '../http-pipelines.ts';
import { jobEnvironment } from '../job-environment.ts';
import { listen } from '../listener.ts';
import {
  type AcquiredJob,
  type JobService,
  type ListenerSystem,
  type Pipelines,
  type RunnerFiles,
  type RunnerSystem,
  Unreachable,
  type WorkerMessage,
  type WorkerProcess,
  type WorkerSystem,
} from '../ports.ts';
import { logFile, readEnvFile, runnerDirectory, runnerFile, standInVersion, workerName } from '../runner-files.ts';
import { work } from '../worker.ts';
import { DirectSession } from './direct-session.ts';

/** Programs that stand for the hook scripts; without one the script of the environment is run as a command of the machine. */
export interface JobHooks {
  readonly started?: Program;
  readonly completed?: Program;
}

export interface RunnerSoftwareOptions {
  readonly hooks?: JobHooks;
  /** Called whenever a Worker appears or ends on this machine. */
  onChange?(): void;
  /** Whether the disk of a machine has no room left. @default it has */
  diskFull?(machine: MachineView): boolean;
  /** Of the software; the file `.version` in its folder comes first. @default a version of 2026 */
  readonly version?: string;
  /** Where the API is, for an API on loopback. @default what the address of the organisation says */
  readonly apiUrl?: string | undefined;
}

/** A request of `config.sh` that gets no response is given up after this. */
const requestTimeoutMs = 100_000;

/** The runner software of a simulated machine: `config.sh`, as a command or a child process, and `Runner.Listener run`. */
export function runnerSoftware(
  codeHost: { readonly registry: RunnerRegistry },
  options: RunnerSoftwareOptions = {},
): { readonly config: Program; readonly listener: Program } {
  const { registry } = codeHost;
  return {
    config: (context) => configure(systemOf(context, registry, options)),
    listener: runnerListener(registry, options),
  };
}

/** `Runner.Listener run` on a simulated machine. */
export function runnerListener(registry: RunnerRegistry, options: RunnerSoftwareOptions = {}): Program {
  return (context) => listen(listenerSystem(context, registry, options));
}

function systemOf(context: ProcessContext, registry: RunnerRegistry, options: RunnerSoftwareOptions): RunnerSystem {
  const { machine, clock, random, user, argv } = context;
  const files = filesOf(machine);
  const version = files.read('.version')?.trim() ?? options.version ?? standInVersion;
  const standInApi = options.apiUrl === undefined ? {} : { RUNNER_STAND_IN_API: options.apiUrl };
  const env = { ...standInApi, ...context.env, ...readEnvFile(files.read('.env')) };
  return {
    argv: argv.slice(1),
    env,
    user,
    hostName: machine.hostName,
    files,
    clock,
    random,
    pipelines: pipelinesOf(context, registry, version),
    version,
    makeKey: knownKey,
    say: (line) => context.stdout(`${line}\n`),
    complain: (line) => context.stderr(`${line}\n`),
  };
}

function filesOf({ files }: MachineView): RunnerFiles {
  const path = (name: string) => `${runnerDirectory}/${name}`;
  return {
    read: (name) => files.get(path(name)),
    write: (name, text) => void files.set(path(name), text),
    delete: (name) => void files.delete(path(name)),
  };
}

function pipelinesOf(context: ProcessContext, registry: RunnerRegistry, version: string): Pipelines {
  const client = serviceClient(asFetch(context.http), version);
  const patient: typeof client = async (request) => {
    const abort = new AbortController();
    const timer = context.clock.after(requestTimeoutMs, () => abort.abort(new Error('The request timed out')));
    try {
      return await client({ ...request, signal: abort.signal });
    } finally {
      timer.cancel();
    }
  };
  return {
    ...registrationOver(patient),
    async openSession({ agentId, clientId }) {
      const outage = (operation: 'message' | 'token') => () =>
        registry.outage.lasts(operation) ? registry.outage.away(operation).how : undefined;
      const session = new DirectSession(context, version, outage('message'), outage('token'));
      const mayConnect = session.reachable() && context.machine.mayConnect(context.user);
      const answer = mayConnect ? registry.connect(agentId, session, clientId) : 'unreachable';
      if (answer === 'unreachable')
        throw new Unreachable('no connection', mayConnect ? registry.outage.away('connect').how : 'refused');
      if (answer === 'unknown-runner') return 'registration-deleted';
      if (answer === 'session-exists') return 'conflict';
      session.connection = answer;
      context.signal.addEventListener('abort', () => answer.vanish(), { once: true });
      return session;
    },
  };
}

function listenerSystem(
  context: ProcessContext,
  registry: RunnerRegistry,
  options: RunnerSoftwareOptions,
): ListenerSystem {
  const system = systemOf(context, registry, options);
  const log = logFile('Runner', context.clock.now());
  return {
    ...system,
    onSignal: (signal, act) => context.onSignal(signal, act),
    trace(line) {
      if (options.diskFull?.(context.machine) === true) throw diskFull();
      system.files.write(log, `${line}\n`);
    },
    startWorker: (job, service) => startWorker(context, options, system.env, job, service),
  };
}

function startWorker(
  context: ProcessContext,
  options: RunnerSoftwareOptions,
  env: RunnerSystem['env'],
  job: AcquiredJob,
  service: JobService,
): WorkerProcess {
  let onMessage: (message: WorkerMessage) => void = () => {};
  const program: Program = (own) =>
    work(
      workerSystem(own, options, env, job, service, (act) => {
        onMessage = act;
      }),
    );
  const argv = [`${runnerDirectory}/bin/${workerName}`, 'spawnclient'];
  const process = context.spawn(workerName, program, { argv });
  options.onChange?.();
  void process.ended.then(() => options.onChange?.());
  return {
    ended: process.ended,
    tell: (message) => onMessage(message),
  };
}

function workerSystem(
  context: ProcessContext,
  options: RunnerSoftwareOptions,
  env: RunnerSystem['env'],
  job: AcquiredJob,
  service: JobService,
  onMessage: WorkerSystem['onMessage'],
): WorkerSystem {
  const { clock, random, machine } = context;
  const hooks = {
    'job-started': { program: options.hooks?.started, script: env.ACTIONS_RUNNER_HOOK_JOB_STARTED },
    'job-completed': { program: options.hooks?.completed, script: env.ACTIONS_RUNNER_HOOK_JOB_COMPLETED },
  };
  return {
    clock,
    random,
    job,
    service,
    onSignal: (signal, act) => context.onSignal(signal, act),
    onMessage,
    trace() {
      if (options.diskFull?.(machine) === true) throw diskFull();
    },
    // A file where its work folder should be.
    isUsable: () => machine.files.has(runnerFile) && !machine.files.has(`${runnerDirectory}/_work`),
    async hook(name) {
      const { program, script } = hooks[name];
      const env = jobEnvironment(job);
      if (program !== undefined) return await context.spawn(name, program, { env }).ended;
      return script === undefined ? 0 : (await machine.runCommand(script, { env })).exitCode;
    },
    async steps(signal) {
      await clock.sleep(job.durationMs, signal);
      if (job.script === undefined) return { exitCode: 0 };
      const { exitCode, stdout, stderr } = await machine.runCommand(job.script, { user: context.user });
      return { exitCode, output: stdout + stderr };
    },
  };
}

const diskFull = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
