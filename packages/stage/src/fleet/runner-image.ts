import { createHash } from 'node:crypto';
import type { FleetAws } from '@drover/adapters/aws';
import { asFetch } from '@drover/cloud-engine';
import { type CodeHost, listenerName, runnerDirectory, runnerSoftware } from '@drover/cloud-github';
import type { BootProgram, MachineView, ProcessContext, Program } from '@drover/cloud-machines';
import type { World } from '@drover/cloud-world';
import { type Clock, jsonLogger } from '@drover/core';
import { runnerService } from '@drover/core/names/runner-fleet';
import {
  abandon,
  addToOrder,
  bootFiles,
  bootLog,
  cleanBeforeJob,
  cleanUp,
  configFile,
  countWorkers,
  drainOrderFile,
  factsFile,
  hookTag,
  jobHookLine,
  parseCommandLine,
  parseOrder,
  readConfig,
  runAgent,
} from '@drover/runner-agent';
import type { FleetRelease, OwnMetadata } from '@drover/runner-fleet';
import { installRemoteAgent } from '../remote-agent.ts';
import { unitSettings } from '../unit-file.ts';
import { writtenFiles } from '../written-files.ts';
import { BootBeats } from './boot/boot-beats.ts';
import { watchNotice } from './boot/boot-notice.ts';
import { bakedConfigurationMs, imageManifest } from './boot/image-boot.ts';
import { type Keys, programAws } from './program-clients.ts';
import type { Transport } from './program-services.ts';
import type { ReleasedRunner } from './released-runner.ts';
import { simulatedKernel } from './simulated-kernel.ts';
import { WakeSignal, type WakeSignals } from './wake-signals.ts';

/** cloud-init and Puppet on a fresh instance. */
export const configurationMs = { least: 60_000, most: 180_000 };
const sayEveryMs = 60_000;

/** The boot of a runner instance: cloud-init, the configuration agent's effects, then the real runner agent. */
export function runnerImage(
  world: World,
  codeHost: CodeHost,
  signals: WakeSignals,
  transport: Transport,
  released?: (moduleVersion: string) => ReleasedRunner | undefined,
): BootProgram {
  return async (context) => {
    const { machine } = context;
    writeFiles(machine);
    const beats = new BootBeats(context, ownAws(world, context, transport));
    const { id } = machine.instance;
    const endNotice = watchNotice(context, ownAws(world, context, transport), () => world.machines.spotNoticeOf(id));
    const { least, most } = machine.files.has(imageManifest) ? bakedConfigurationMs : configurationMs;
    await context.clock.sleep(context.random.int(least, most));
    const point = { service: 'machine', operation: 'configure', subject: machine.instance.id };
    const fault = world.engine.faults.strike(point, ['boot-failure', 'slow-boot', 'timeout']);
    if (fault?.kind === 'slow-boot') await takeLong(context, beats, fault.ms);
    // A command that never ends, and says nothing.
    if (fault?.kind === 'timeout') {
      beats.say('post_runcmd: docker pull registry.example.com/large');
      return await new Promise<number>(() => {});
    }
    if (fault?.kind === 'boot-failure') {
      beats.end();
      endNotice();
      return await failBoot(world, context, transport);
    }
    await takeRelease(context, ownAws(world, context, transport), () => beats.say('the mirror: trying again'));
    beats.end();
    endNotice();
    installRemoteAgent(machine, factsOf(machine).drover?.remote_agent);
    const signal = signals.of(machine.instance.id);
    machine.denyMetadataFor(runnerService);
    const older = released?.(factsOf(machine).drover?.module_version ?? '');
    const unitOf = (text: string | undefined) => (text === undefined ? {} : unitSettings(machine, text));
    machine.defineService({
      name: runnerService,
      program: software(codeHost, signal, older).listener,
      argv: [`${runnerDirectory}/bin/${listenerName}`, 'run', '--startuptype', 'service'],
      user: runnerService,
      killMode: 'process',
      stopSignal: 'SIGINT',
      stopTimeoutMs: 300_000,
      ...unitOf(older?.units.runner),
    });
    machine.defineCommand('runner-agent', agentCommand(signal, older));
    machine.defineService({
      name: 'runner-agent',
      program: agentDaemon(world, codeHost, signal, transport, older),
      restart: 'always',
      restartDelayMs: 5_000,
      restartPreventExitStatus: [0],
      startLimitMs: 0,
      ...unitOf(older?.units.agent),
    });
    machine.startService('runner-agent');
    machine.files.set(bootFiles.done, '');
    return 0;
  };
}

/** A boot with much to install, which says so each minute. */
async function takeLong({ clock }: ProcessContext, beats: BootBeats, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= sayEveryMs) {
    beats.say(`installing: ${Math.ceil(left / sayEveryMs)} minutes are left`);
    await clock.sleep(Math.min(left, sayEveryMs));
  }
}

/** AWS with the instance's own role, without the agent. */
export function ownAws(world: World, { machine, clock, random, http }: ProcessContext, transport: Transport) {
  const credentials = () => roleKeys(world, machine.instance.id);
  return programAws(world, { http, clock, random, process: undefined, alive: () => true, credentials }, transport);
}

/** Acts as the boot script does when Puppet fails, as it does when the runner's archive has another checksum. */
async function failBoot(world: World, context: ProcessContext, transport: Transport): Promise<number> {
  const { machine, clock, random, http } = context;
  const { id } = machine.instance;
  const reason = 'CalledProcessError: bin/configure returned non-zero exit status 1';
  machine.files.set('/var/log/cloud-init-output.log', 'Error: actions-runner.tar.gz: SHA-256 is another\n');
  machine.files.set(bootFiles.failed, `${reason}\n`);
  const place = {
    http,
    clock,
    random,
    process: { kill() {} },
    alive: () => true,
    credentials: () => roleKeys(world, id),
  };
  const log = jsonLogger({ clock, write: (line) => context.log(line) });
  const metadata = transport === 'direct' ? { metadata: ownMetadataOf(world, id) } : {};
  const runtime = { clock, log, fetch: asFetch(http), aws: () => programAws(world, place, transport), ...metadata };
  const lines = bootLog({ readFile: (path) => machine.files.get(path) });
  await abandon(readConfig(machine.files.get(configFile) ?? '{}'), runtime, `${reason}\n${lines}`);
  return 1;
}

/** The runner software of a machine; every change of its processes wakes the agent. An older release's hook does nothing else. */
const software = (codeHost: CodeHost, signal: WakeSignal, older?: ReleasedRunner) =>
  runnerSoftware(codeHost, {
    onChange: () => signal.wake(),
    ...(older === undefined ? { hooks: { started: jobStarted, completed: jobCompleted } } : {}),
    diskFull: ({ disk }) => disk.freeBytes <= 0,
    // The original loses the port of an address outside of github.com.
    apiUrl: new URL(codeHost.apiUrl).port === '' ? undefined : codeHost.apiUrl,
  });

/** The files of the cloud-init document, and the agent's configuration that Puppet makes of the facts. */
export function writeFiles(machine: MachineView): void {
  for (const { path, content } of writtenFiles(machine.instance.userData)) machine.files.set(path, content);
  const facts = JSON.parse(machine.files.get(factsFile) ?? '{}') as { actions_runner?: unknown };
  machine.files.set(`${runnerDirectory}/config.sh`, '');
  machine.files.set(configFile, JSON.stringify(facts.actions_runner ?? {}));
}

interface Mirror {
  readonly bucket: string;
  readonly object: string;
}

interface Facts {
  readonly drover?: {
    readonly module_version?: string;
    readonly remote_agent?: string;
    readonly mirror?: Mirror;
    readonly baked_image?: { readonly mirror?: Mirror };
  };
  readonly actions_runner?: { readonly runner_version?: string };
}

const factsOf = ({ files }: MachineView) => JSON.parse(files.get(factsFile) ?? '{}') as Facts;

/** How long the mirror is waited for, and how often it is looked at. */
const mirrorPatience = { ms: 20 * 3_600_000, pauseMs: 30_000 };

/**
 * Installs as boot.py and Puppet do: the runner software of the fleet's mirror, or the version that the user data
 * names.
 */
async function takeRelease(
  { machine, clock }: ProcessContext,
  { s3 }: Pick<FleetAws, 's3'>,
  tryAgain: () => void,
): Promise<void> {
  const file = `${runnerDirectory}/.version`;
  // Taken once, at the first boot.
  const version = machine.files.get(file)?.trim() ?? (await runnerVersionOf(machine, clock, s3, tryAgain));
  if (version === undefined) return;
  machine.files.set(file, `${version}\n`);
  const config = JSON.parse(machine.files.get(configFile)!) as object;
  machine.files.set(configFile, JSON.stringify({ ...config, runner_version: version }));
}

/** The version that the mirror has, or that the user data names. */
export function runnerVersionOf(
  machine: MachineView,
  clock: Clock,
  s3: FleetAws['s3'],
  tryAgain = () => {},
): Promise<string> | string | undefined {
  const facts = factsOf(machine);
  const mirror = facts.drover?.mirror ?? facts.drover?.baked_image?.mirror;
  if (mirror === undefined) return facts.actions_runner?.runner_version;
  return mirroredVersion(clock, s3, mirror.bucket.split('/').at(-1)!, mirror.object, tryAgain);
}

/** As the boot script does it: a request without a response is given up. */
const inTime = <T>(clock: Clock, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = clock.after(60_000, () => reject(new Error('no response')));
    work.then(resolve, reject).finally(() => timer.cancel());
  });

async function mirroredVersion(
  clock: Clock,
  s3: FleetAws['s3'],
  Bucket: string,
  Key: string,
  tryAgain: () => void,
): Promise<string> {
  for (const deadline = clock.now() + mirrorPatience.ms; ; ) {
    try {
      const read = (key: string) => inTime(clock, s3('GetObject', { Bucket, Key: key }));
      const release = JSON.parse((await read(Key)).Body) as FleetRelease;
      const { Body } = await read(release.key!);
      if (createHash('sha256').update(Body).digest('hex') === release.checksum) return release.version;
    } catch (error) {
      if (clock.now() > deadline) throw error;
    }
    tryAgain();
    await clock.sleep(mirrorPatience.pauseMs);
  }
}

function agentDaemon(
  world: World,
  codeHost: CodeHost,
  signal: WakeSignal,
  transport: Transport,
  older?: ReleasedRunner,
): Program {
  return async (context) => {
    const { machine, clock, random, http } = context;
    const config = readConfig(machine.files.get(configFile) ?? '{}');
    const { id } = machine.instance;
    const own = () => machine.processes().find(({ pid }) => pid === context.pid);
    const process = { kill: () => own()?.signal('SIGKILL') };
    const alive = () => !context.signal.aborted;
    const place = { http, clock, random, process, alive, credentials: () => roleKeys(world, id) };
    const aws = () => programAws(world, place, transport);
    const log = jsonLogger({ clock, write: (line) => context.log(line) });
    const commands = { 'config.sh': software(codeHost, signal, older).config, ...selfChecks(machine) };
    const settled = () =>
      transport === 'direct' && isSettled(world, id, config.ephemeral || countWorkers(kernel, config) > 0);
    const kernel = simulatedKernel(context, { signal, commands, settled });
    const metadata = transport === 'direct' ? { metadata: ownMetadataOf(world, id) } : {};
    const offered = { config: machine.files.get(configFile) ?? '{}', kernel, aws: aws(), fetch: asFetch(http) };
    if (older !== undefined) return await older.run(context, { ...offered, ...metadata }).then(() => 0);
    await runAgent(config, { clock, log, fetch: asFetch(http), kernel, aws, signal: context.signal, ...metadata });
    return 0;
  };
}

/** The agent's own looks at a host: whether the work folder can be written to, and whether a Worker starts. */
export const selfChecks = ({ files }: MachineView): Readonly<Record<string, Program>> => ({
  bash: async () => Number(files.has(`${runnerDirectory}/_work`)),
  'Runner.Worker': async () => 1,
});

/** In service to stay, protected as it should be: in mass simulation such a host waits for a wake signal. */
function isSettled(world: World, instanceId: string, isProtected: boolean): boolean {
  const member = world.observe.member(instanceId);
  return (
    member?.state === 'InService' &&
    member.protectedFromScaleIn === isProtected &&
    world.observe.targetLifecycleState(instanceId) === 'InService' &&
    world.machines.spotNoticeOf(instanceId) === undefined
  );
}

function roleKeys(world: World, instanceId: string): Keys {
  const keys = world.machines.credentialsOf(instanceId);
  if (keys === undefined) throw new Error(`the instance ${instanceId} has no role`);
  return keys;
}

/** The metadata of an instance without a request: for mass simulation. */
const ownMetadataOf = (world: World, instanceId: string): OwnMetadata => ({
  instanceId: async () => instanceId,
  targetLifecycleState: async () => world.observe.targetLifecycleState(instanceId),
  spotNoticeAt: async () => world.machines.spotNoticeOf(instanceId),
  isAtRisk: async () => world.machines.isAtRisk(instanceId),
  launchedAt: async () => world.observe.instance(instanceId)?.launchedAt,
});

/** `runner-agent job-started` and `job-completed`, as the runner's hooks run them. */
const jobStarted: Program = async (context) => {
  const { machine, clock, pid } = context;
  context.log(jobHookLine('job-started', context.env), hookTag);
  const kernel = simulatedKernel(context, { signal: new WakeSignal(), commands: {} });
  await cleanBeforeJob(kernel, clock, readConfig(machine.files.get(configFile) ?? '{}'), pid);
  return 0;
};
const jobCompleted: Program = async (context) => {
  context.log(jobHookLine('job-completed', context.env), hookTag);
  const kernel = simulatedKernel(context, { signal: new WakeSignal(), commands: {} });
  await cleanUp(kernel, context.clock, { runnerDirectory });
  return 0;
};

/** `runner-agent drain` and `status`, as a remote command runs them. */
function agentCommand(signal: WakeSignal, older?: ReleasedRunner): Program {
  return async (context) => {
    const { machine, clock } = context;
    if (older !== undefined) {
      const order = older.order(context.argv.slice(1), machine.files.get(drainOrderFile), clock.now());
      if (order !== undefined) machine.files.set(drainOrderFile, order);
      signal.wake();
      return 0;
    }
    const config = readConfig(machine.files.get(configFile) ?? '{}');
    const command = parseCommandLine(context.argv.slice(1));
    if (command.kind === 'drain') {
      const order = addToOrder(parseOrder(machine.files.get(drainOrderFile)), command, clock.now());
      machine.files.set(drainOrderFile, JSON.stringify(order));
      signal.wake();
    }
    const workers = countWorkers(simulatedKernel(context, { signal, commands: {} }), config);
    context.stdout(`${JSON.stringify({ at: new Date(clock.now()).toISOString(), workers })}\n`);
    return 0;
  };
}
