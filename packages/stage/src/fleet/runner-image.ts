import { asFetch } from '@drover/cloud-engine';
import { type CodeHost, runnerListener, workerName } from '@drover/cloud-github';
import type { BootProgram, MachineView, Program } from '@drover/cloud-machines';
import type { World } from '@drover/cloud-world';
import { jsonLogger } from '@drover/core';
import { runnerService } from '@drover/core/names/runner-fleet';
import { addToOrder, drainOrderFile, parseCommandLine, parseOrder, readConfig, runAgent } from '@drover/runner-agent';
import type { OwnMetadata } from '@drover/runner-fleet';
import { parse } from 'yaml';
import { type Keys, programAws, type Transport } from './program-clients.ts';
import { simulatedHost } from './simulated-host.ts';
import type { WakeSignal, WakeSignals } from './wake-signals.ts';

const factsFile = '/etc/puppetlabs/facter/facts.d/custom.json';
/** cloud-init and Puppet on a fresh instance. */
const configurationMs = { least: 60_000, most: 180_000 };

/** What a runner instance does when it boots: cloud-init, the configuration agent's effects, then the real runner agent. */
export function runnerImage(world: World, codeHost: CodeHost, signals: WakeSignals, transport: Transport): BootProgram {
  return async (context) => {
    const { machine } = context;
    writeFiles(machine);
    await context.clock.sleep(context.random.int(configurationMs.least, configurationMs.most));
    const signal = signals.of(machine.instance.id);
    machine.denyMetadataFor(runnerService);
    machine.defineService({
      name: runnerService,
      program: runnerListener(codeHost.registry, { onChange: () => signal.wake() }),
      user: runnerService,
    });
    machine.defineCommand('runner-agent', agentCommand(signal));
    machine.defineService({
      name: 'runner-agent',
      program: agentDaemon(world, codeHost, signal, transport),
      restart: 'always',
      restartDelayMs: 5_000,
    });
    machine.startService('runner-agent');
    return 0;
  };
}

interface WrittenFile {
  readonly path: string;
  readonly content: string;
}

/** All instances of a fleet boot with the same document: it is read once. */
let newest: { readonly userData: string; readonly files: readonly WrittenFile[] } | undefined;

function filesOf(userData: string): readonly WrittenFile[] {
  if (newest?.userData !== userData)
    newest = { userData, files: (parse(userData) as { write_files?: WrittenFile[] }).write_files ?? [] };
  return newest.files;
}

/** The files of the cloud-init document, and the agent's configuration that Puppet makes of the facts. */
function writeFiles(machine: MachineView): void {
  for (const { path, content } of filesOf(machine.instance.userData)) machine.files.set(path, content);
  const facts = JSON.parse(machine.files.get(factsFile) ?? '{}') as { actions_runner?: unknown };
  machine.files.set('/etc/runner-agent/config.json', JSON.stringify(facts.actions_runner ?? {}));
}

function agentDaemon(world: World, codeHost: CodeHost, signal: WakeSignal, transport: Transport): Program {
  return async (context) => {
    const { machine, clock, http } = context;
    const config = readConfig(machine.files.get('/etc/runner-agent/config.json') ?? '{}');
    const { id } = machine.instance;
    const own = () => machine.processes().find(({ pid }) => pid === context.pid);
    const process = { kill: () => own()?.signal('SIGKILL') };
    const alive = () => !context.signal.aborted;
    const place = { http, clock, process, alive, credentials: () => roleKeys(world, id) };
    const aws = () => programAws(world, place, transport);
    const log = jsonLogger({ clock, write: (line) => context.log(line) });
    const settled = (busy: boolean) => transport === 'direct' && isSettled(world, id, busy);
    const host = simulatedHost(context, codeHost, signal, settled);
    const metadata = transport === 'direct' ? { metadata: ownMetadataOf(world, id) } : {};
    await runAgent(config, { clock, log, fetch: asFetch(http), host, aws, signal: context.signal, ...metadata });
    // A stopped agent waits for the end of its instance; its unit would start it again otherwise.
    return await new Promise<number>(() => {});
  };
}

/** In service to stay, protected if and only if it is busy: in mass simulation such a host waits for a wake signal. */
function isSettled(world: World, instanceId: string, busy: boolean): boolean {
  const member = world.observe.member(instanceId);
  return (
    member?.state === 'InService' &&
    member.protectedFromScaleIn === busy &&
    world.observe.targetLifecycleState(instanceId) === 'InService' &&
    world.machines.spotNoticeOf(instanceId) === undefined
  );
}

function roleKeys(world: World, instanceId: string): Keys {
  const keys = world.machines.credentialsOf(instanceId);
  if (keys === undefined) throw new Error(`the instance ${instanceId} has no role`);
  return keys;
}

/** What the metadata service would say, without a request: for mass simulation. */
const ownMetadataOf = (world: World, instanceId: string): OwnMetadata => ({
  instanceId: async () => instanceId,
  targetLifecycleState: async () => world.observe.targetLifecycleState(instanceId),
  spotNoticeAt: async () => world.machines.spotNoticeOf(instanceId),
});

/** `runner-agent drain` and `status`, as a remote command runs them. */
function agentCommand(signal: WakeSignal): Program {
  return async (context) => {
    const { machine, clock } = context;
    const command = parseCommandLine(context.argv.slice(1));
    if (command.kind === 'drain') {
      const order = addToOrder(parseOrder(machine.files.get(drainOrderFile)), command, clock.now());
      machine.files.set(drainOrderFile, JSON.stringify(order));
      signal.wake();
    }
    const workers = machine.processes().filter((process) => process.name === workerName).length;
    context.stdout(`${JSON.stringify({ at: new Date(clock.now()).toISOString(), workers })}\n`);
    return 0;
  };
}
