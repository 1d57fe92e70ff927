import type { RoleDescriptor, SearchNode } from '@drover/cloud-elasticsearch';
import type { BootProgram, Instance, MachineView, ProcessContext, Program } from '@drover/cloud-machines';
import { anonymousRole, facts, groupNames, searchNodeFacts } from '@drover/core/names/search-cluster';
import { parse } from 'yaml';
import { defineUnit } from '../unit-file.ts';
import { writtenFiles } from '../written-files.ts';

import { installPackage } from './installed-package.ts';

import { fixedFile } from './machine/catalog.ts';
import { lockConfiguration, lockedMessage } from './machine/configuration/configuration-lock.ts';
import { touch } from './machine/units.ts';

const minute = 60_000;

/** The command that cron runs every five minutes on each node, word for word as in the specification. */
export const scheduledDrain =
  'cluster-cli --quiet cluster decommission-node --only-if-terminating --reason instance_refresh --complete-lifecycle-action --wait-until-complete 172800';

/** The facts of a node that the command reads, as cloud-init writes them. */
export interface NodeFacts {
  readonly elastic_secret: string;
  readonly kibana_system_secret: string;
  readonly snapshots_bucket: string;
  readonly state_bucket: string;
  /** Of the launch template; a node without it runs what its cluster was made with. */
  readonly version?: string;
  readonly cluster_name?: string;
  readonly master_url?: string;
  readonly anonymous_monitoring?: boolean;
}

/**
 * Security as the configuration agent sets it on a node: health and statistics without a password, unless the facts say
 * otherwise.
 */
export const nodeSecurity = ({ anonymous_monitoring: open = true }: NodeFacts) => ({
  roles: fileRoles,
  anonymous: { roles: open ? [anonymousRole] : [], authzException: false },
});

const fileRoles = parse(fixedFile('/etc/elasticsearch/roles.yml')) as Readonly<Record<string, RoleDescriptor>>;

export const isMasterInstance = (instance: Instance, clusterName: string): boolean =>
  instance.tags['aws:autoscaling:groupName'] === groupNames.master(clusterName);

export interface ImageOptions {
  /** Whether a node that boots now gets its cron jobs. @default true */
  readonly cron?: boolean | (() => boolean);
  /** From boot until Elasticsearch starts: packages and configuration. @default at once */
  readonly configurationMs?: { readonly least: number; readonly most: number };
}

/** The cluster around a search instance, as far as its image asks for it. */
export interface SearchImageHost {
  readonly clusterName: string;
  readonly options: ImageOptions;
  /** Starts the node of the machine: the same one again, with its data, when there was one. */
  startNode(context: ProcessContext, facts: NodeFacts): SearchNode;
  /** Puts a version of Elasticsearch in place; it takes effect when the node starts. */
  install(machine: MachineView, version: string): void;
}

const programs = '/opt/drover/bin';
/** From the beginning of a configuration run until the package is installed. */
const packageMs = { least: 20_000, most: 60_000 };

/** The boot of a search instance: cloud-init, the effects of the configuration agent, then the launch's commission. */
export function searchImage(host: SearchImageHost, command: Program): BootProgram {
  const { clusterName, options } = host;
  return async (context) => {
    const { machine } = context;
    if (machine.bootCount > 1 && machine.serviceState('elasticsearch') !== 'unknown') {
      machine.startService('elasticsearch');
      return 0;
    }
    for (const { path, content } of writtenFiles(machine.instance.userData)) machine.files.set(path, content);
    const { least, most } = options.configurationMs ?? { least: 0, most: 0 };
    if (most > 0) await context.clock.sleep(context.random.int(least, most));
    for (const path of ['', `${programs}/`, '/usr/local/bin/']) machine.defineCommand(`${path}cluster-cli`, command);
    machine.defineCommand('/usr/bin/touch', touch);
    machine.defineCommand(`${programs}/configure`, configure(host));
    if (nodeFacts(machine).version !== undefined && !(await prepareLaunch(machine))) return 1;
    host.startNode(context, nodeFacts(machine));
    machine.defineService({ name: 'elasticsearch', program: searchService(host) });
    machine.startService('elasticsearch');
    const { cron = true } = options;
    if (typeof cron === 'function' ? cron() : cron)
      addSchedules(machine, isMasterInstance(machine.instance, clusterName));
    // A run by itself that died would cost the launch: its unit starts it again.
    defineUnit(machine, 'drover-commission.service', [fixedFile('/etc/systemd/system/drover-commission.service')]);
    void machine.startService('drover-commission');
    return 0;
  };
}

/** `bin/configure`, as far as an upgrade sees it: what the role prepares, the package in the version of the facts, then the service. */
const configure =
  (host: SearchImageHost): Program =>
  async (context) => {
    const { machine, clock, random, stderr } = context;
    if (!(await lockConfiguration(context))) {
      stderr(`configure: ${lockedMessage}\n`);
      return 1;
    }
    const prepared = await prepare(machine);
    stderr(prepared.stderr);
    if (prepared.exitCode !== 0) return 1;
    await clock.sleep(random.int(packageMs.least, packageMs.most));
    const version = versionOf(machine);
    if (version !== undefined && !installPackage(machine, version)) {
      stderr('configure: puppet apply failed with exit code 4\n');
      return 1;
    }
    if (version !== undefined) host.install(machine, version);
    if (!['active', 'activating'].includes(machine.serviceState('elasticsearch')))
      machine.startService('elasticsearch');
    return 0;
  };

/** The real command finds out the version; a node that may not join gives its launch up. */
async function prepareLaunch(machine: MachineView): Promise<boolean> {
  machine.files.set('/proc/meminfo', 'MemTotal: 8388608 kB\n');
  const { exitCode } = await prepare(machine);
  if (exitCode !== 0) await giveUp(machine);
  else installPackage(machine, versionOf(machine)!);
  return exitCode === 0;
}

/** The boot script completes the hooks itself, and tries again, where the program fails: here the program is run again. */
async function giveUp(machine: MachineView): Promise<void> {
  const abandon = () => machine.runCommand("cluster-cli node abandon --reason 'node prepare failed'");
  for (let tries = 0; tries < 10 && ![0, 3].includes((await abandon()).exitCode); tries++);
}

const prepare = (machine: MachineView) => machine.runCommand('cluster-cli node prepare');

/** As init.pp has it: the version passed to the node comes before its user data. */
export function versionOf(machine: MachineView): string | undefined {
  const told = JSON.parse(machine.files.get(searchNodeFacts.file) ?? '{}') as { search_node?: { version?: string } };
  return told.search_node?.version ?? nodeFacts(machine).version;
}

/** The unit of Elasticsearch: an operator stops and starts it. With its machine the node ends by other ways. */
function searchService(host: SearchImageHost): Program {
  return (context) =>
    new Promise((resolve) => {
      const node = host.startNode(context, nodeFacts(context.machine));
      context.onSignal('SIGTERM', () => {
        if (context.machine.instance.state === 'running') node.stop();
        resolve(0);
      });
      context.signal.addEventListener('abort', () => node.crash(), { once: true });
    });
}

function addSchedules(machine: MachineView, isMaster: boolean): void {
  machine.addCron('decommission', 5 * minute, scheduledDrain);
  if (isMaster) machine.addCron('reap', 5 * minute, 'cluster-cli --quiet cluster reap');
  if (nodeFacts(machine).version !== undefined) machine.addCron('configure', 30 * minute, `${programs}/configure`);
}

/** Facts about Elasticsearch that cloud-init wrote. */
export const nodeFacts = (machine: MachineView): NodeFacts =>
  (JSON.parse(machine.files.get(facts.files[0])!) as Record<typeof facts.root, NodeFacts>)[facts.root];

/** A cloud-init document with the facts of a node. */
export const userDataWith = (found: NodeFacts): string =>
  `#cloud-config\n${JSON.stringify({ write_files: [{ path: facts.files[0], content: JSON.stringify({ [facts.root]: found }) }] })}`;
