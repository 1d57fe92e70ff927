import { basicAuth } from '@drover/adapters/elasticsearch/client';
import type { Caller } from '@drover/cloud-aws';
import type { NodeOptions, SearchNode } from '@drover/cloud-elasticsearch';
import { clusterHealth, SearchCluster, type SearchClusterOptions } from '@drover/cloud-elasticsearch';
import type { HttpRequest, HttpResponse } from '@drover/cloud-engine';
import type { BootProgram, Instance, MachineView, ProcessContext, Program } from '@drover/cloud-machines';
import { type GroupView, World } from '@drover/cloud-world';
import { preload } from '@drover/cluster-cli';
import { VirtualClock } from '@drover/core';
import { instanceBytesPerSecond } from '@drover/core/instance-bandwidth';
import { namesOf, nodeGroupTags, usualGroups } from '@drover/core/names/node-groups';
import {
  type CommandOptions,
  clusterCommand,
  type EndedRun,
  LiveRuns,
  nextVersionOf,
  usersCommand,
} from './cluster-command.ts';
import { injectWatch } from './injected-watch.ts';
import type { Catalogs } from './machine/catalog-step.ts';
import type { PlannedNode } from './machine/machine-host.ts';
import type { Settings } from './machine/node-settings.ts';
import { roleStores } from './machine/role-buckets.ts';
import { searchMachine } from './machine/search-machine.ts';
import {
  type ImageOptions,
  isMasterInstance,
  type NodeFacts,
  nodeFacts,
  nodeSecurity,
  searchImage,
  versionOf,
} from './search-image.ts';

const minute = 60_000;
const hour = 60 * minute;
const keptRuns = 2_500;

/** The load balancer's host for clusters whose groups `createGroups` made. */
export const mastersHost = (clusterName: string): string => `${clusterName}-master.internal`;

export interface DeployedClusterOptions extends CommandOptions, ImageOptions {
  /** The world that it is deployed to, beside others; on a virtual clock. @default a world of its own */
  readonly world?: World;
  /** @default search */
  readonly clusterName?: string;
  readonly seed?: string | number;
  readonly cluster?: SearchClusterOptions;
  /** Options of every node besides its name, roles, zone and address. */
  readonly node?: Partial<NodeOptions>;
  /** The catalogues of Puppet that a configured machine has, by the version of its software. @default those of this tree */
  readonly catalogs?: (moduleVersion: string) => Catalogs | undefined;
  /** How machines come to their node: at once, for campaigns, or from their user data step by step. @default plain */
  readonly machines?: 'plain' | 'configured';
  /** Lines that the Puppet tree of a version adds to files of a configured node. @default nothing */
  readonly filesOf?: (version: string) => Readonly<Record<string, string>>;
  /** Buckets of other regions, by name. @default none */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /** Versions of Elasticsearch that no mirror has. @default none */
  readonly unpublished?: readonly string[];
}

/** Recoveries are no faster than the baseline of the instance's type; a type without a known one does not limit them. */
function bandwidthOf({ instanceType }: Pick<Instance, 'instanceType'>): Pick<NodeOptions, 'bytesPerSecond'> {
  const bytesPerSecond = instanceBytesPerSecond(instanceType);
  return bytesPerSecond === undefined ? {} : { bytesPerSecond };
}

/**
 * A search cluster on the embedded cloud: machines boot, run a search node, and the real command by their schedules.
 * Where the groups come from is left open: `createGroups` makes them by API calls, a deployed template brings its own.
 * All that a machine needs to know is in its user data and its group's name.
 */
export class DeployedCluster {
  readonly clock: VirtualClock;
  readonly world: World;
  readonly clusterName: string;
  readonly root: Caller;
  /** Search nodes by instance id, as long as the instance lives. */
  readonly nodes = new Map<string, SearchNode>();
  /** Every run of the command that has ended: who, what, exit code, output. */
  readonly runs: EndedRun[] = [];
  readonly options: DeployedClusterOptions;
  readonly #live = new LiveRuns();
  readonly #leaving: ((node: SearchNode, instance: Instance) => void)[] = [];
  #cluster: SearchCluster | undefined;
  #facts: NodeFacts | undefined;
  /** By instance, of the process that runs. */
  readonly #s3Clients = new Map<string, Settings>();
  #balanced = 0;

  constructor(options: DeployedClusterOptions = {}) {
    this.options = options;
    this.clusterName = options.clusterName ?? 'search';
    this.world = options.world ?? new World({ clock: new VirtualClock(), seed: options.seed ?? 1 });
    this.clock = this.world.engine.clock as VirtualClock;
    this.root = { credentials: this.world.rootCredentials };
    this.#plug();
  }

  /** Loads what commands load on demand: while a file is read virtual time would run away. */
  static async preload(): Promise<void> {
    await preload();
  }

  get cluster(): SearchCluster {
    if (this.#cluster === undefined) throw new Error('no node has started yet');
    return this.#cluster;
  }

  /** The cluster state and the elected master as they are, past all faults: for checkers. */
  get core(): NonNullable<SearchCluster['services']>['core'] {
    if (this.cluster.services === undefined) throw new Error('the cluster has not formed yet');
    return this.cluster.services.core;
  }

  /** Lets shards recover faster or slower than usual. */
  setRecoverySpeed(factor: number): void {
    this.cluster.services?.recoveries.setSpeed(factor);
  }

  aws(service: Parameters<World['aws']['call']>[0], operation: string, input: object = {}): Promise<never> {
    return this.world.aws.call(service, operation, input, this.root) as Promise<never>;
  }

  /** The names of the cluster's groups, as its own programs find them: of those that exist, masters first. */
  groupNames(): readonly string[] {
    const { observe } = this.world;
    const usual = namesOf(usualGroups(this.clusterName)).filter((name) => observe.group(name) !== undefined);
    const isFurther = ({ tags }: GroupView) => tags.get(nodeGroupTags.of)?.value === this.clusterName;
    return [
      ...usual,
      ...observe
        .groups()
        .filter(isFurther)
        .map(({ name }) => name),
    ];
  }

  /** Instances of all groups with their states. */
  members(): readonly { readonly id: string; readonly group: string; readonly state: string }[] {
    return this.world.observe.members().map((member) => ({
      id: member.instanceId,
      group: member.group.name,
      state: member.state as string,
    }));
  }

  inService(group?: string): readonly string[] {
    return this.members()
      .filter((member) => member.state === 'InService' && (group === undefined || member.group === group))
      .map(({ id }) => id);
  }

  stateOf(instanceId: string): string | undefined {
    return this.world.observe.member(instanceId)?.state;
  }

  nodeOf(instanceId: string): SearchNode {
    const node = this.nodes.get(instanceId);
    if (node === undefined) throw new Error(`no search node on ${instanceId}`);
    return node;
  }

  /** Called for a node whose machine goes down for good, while its copies can still be read. */
  onLeaving(act: (node: SearchNode, instance: Instance) => void): void {
    this.#leaving.push(act);
  }

  /** One request to Elasticsearch as an operator; moves time until the response is there. */
  async search<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    return await this.until(this.ask<T>(method, path, body), hour);
  }

  /** The same for callers that do not move time. */
  async ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown, by?: SearchNode): Promise<T> {
    const node = by ?? [...this.nodes.values()].find((candidate) => candidate.running && candidate.attached);
    if (node === undefined) throw new Error('no search node is up');
    const [name, query = ''] = path.split('?');
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers: Record<string, string> = {
      host: 'operator',
      authorization: basicAuth('elastic', this.elasticPassword()),
      ...(text === '' ? {} : { 'content-type': 'application/json' }),
    };
    const request = { method, host: 'operator', path: name!, query, headers, body: Buffer.from(text) };
    const answer = await node.handle(request);
    const received = String(typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body));
    return JSON.parse(received === '' ? '{}' : received) as T;
  }

  /** Runs a command line on an instance and moves time until it has ended. */
  async run(instanceId: string, commandLine: string, limitMs = 60 * hour): Promise<EndedRun> {
    return await this.until(this.begin(instanceId, commandLine), limitMs);
  }

  /** Begins a command line; resolves when it has ended, also when its machine goes down at the same moment. */
  begin(instanceId: string, commandLine: string): Promise<EndedRun> {
    return this.#live.begin(this.world.machines.get(instanceId)!, commandLine);
  }

  async until<T>(promise: Promise<T>, limitMs = 60 * hour): Promise<T> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    if (!(await this.clock.runUntil(() => settled, limitMs)))
      throw new Error(`nothing happened in ${limitMs} ms: ${this.report()}`);
    return await promise;
  }

  /** Begins the termination of an instance and waits until its hook holds it. */
  async terminate(instanceId: string, options: { readonly replace?: boolean } = {}): Promise<void> {
    await this.aws('autoscaling', 'TerminateInstanceInAutoScalingGroup', {
      InstanceId: instanceId,
      ShouldDecrementDesiredCapacity: options.replace === false,
    });
    if (!(await this.clock.runUntil(() => this.stateOf(instanceId) === 'Terminating:Wait', hour)))
      throw new Error(`${instanceId} is ${this.stateOf(instanceId)}`);
  }

  /** The password in the secret now. */
  elasticPassword(): string {
    return this.world.observe.secretValue(this.facts.elastic_secret);
  }

  /** The facts about the cluster in user data. */
  get facts(): NodeFacts {
    if (this.#facts === undefined) throw new Error('no node has started yet');
    return this.#facts;
  }

  /** As every node would say it, past all faults. */
  colour(): 'green' | 'yellow' | 'red' {
    const { state } = this.core;
    return clusterHealth(state, [...state.indices.values()]).status;
  }

  async health(): Promise<string> {
    return (await this.search<{ status: string }>('GET', '/_cluster/health')).status;
  }

  async records(): Promise<readonly Record<string, unknown>[]> {
    return (await this.search<{ nodes: Record<string, unknown>[] }>('GET', '/_nodes/shutdown')).nodes;
  }

  /** Keeps how a command ended; a world that goes on for weeks lets the oldest go. */
  remember(run: EndedRun): void {
    this.runs.push(run);
    if (this.runs.length > 2 * keptRuns) this.runs.splice(0, keptRuns);
  }

  report(): string {
    const failed = this.runs.filter(({ exitCode }) => exitCode !== 0).slice(-6);
    return JSON.stringify({ members: this.members(), live: this.#live.errors(), failed }, undefined, 1);
  }

  /** Starts the search node of a machine; the first one brings the cluster's own settings. */
  startNode(context: ProcessContext, facts: NodeFacts): SearchNode {
    const { instance } = context.machine;
    const known = this.nodes.get(instance.id);
    if (known !== undefined) {
      known.start();
      return known;
    }
    const isMaster = isMasterInstance(instance, this.clusterName);
    const version = versionOf(context.machine);
    this.#facts ??= facts;
    this.#cluster ??= new SearchCluster(this.world.engine, {
      clusterName: this.clusterName,
      security: {},
      ...this.options.cluster,
    });
    const node = this.#cluster.addNode({
      name: `${isMaster ? 'master' : 'data'}-${instance.id}`,
      roles: isMaster ? ['master'] : ['data', 'ingest'],
      zone: instance.availabilityZone,
      ip: instance.privateIp,
      bootstrapPassword: this.elasticPassword(),
      security: nodeSecurity(facts),
      ...bandwidthOf(instance),
      ...(version === undefined ? {} : { version }),
      ...this.options.node,
    });
    return this.#adopt(context.machine, node);
  }

  install({ instance }: MachineView, version: string): void {
    this.nodeOf(instance.id).install(version);
  }

  /** Starts the node that a machine's configuration describes; one that was there before starts again with its data. */
  startConfiguredNode({ machine }: ProcessContext, { cluster, node, discovers, s3Clients }: PlannedNode): SearchNode {
    const { instance } = machine;
    this.#s3Clients.set(instance.id, s3Clients);
    const known = this.nodes.get(instance.id);
    if (known !== undefined) {
      if (node.version !== undefined) known.install(node.version);
      known.start();
      return known;
    }
    this.#facts ??= nodeFacts(machine);
    const make = () =>
      new SearchCluster(this.world.engine, {
        ...cluster,
        openStore: roleStores(this.world, (nodeId) => this.#callerOf(nodeId), {
          regions: this.options.elsewhere ?? {},
          clientsOf: (nodeId) => this.#s3Clients.get(this.#instanceOf(nodeId)) ?? {},
        }),
        ...this.options.cluster,
      });
    // A node that cannot find the others forms a cluster of its own, under the same name or not.
    if (discovers) this.#cluster ??= make();
    const home = discovers ? this.cluster : make();
    const started = home.addNode({ ...node, ...bandwidthOf(instance), ...this.options.node });
    return this.#adopt(machine, started);
  }

  /** The node of a machine, with the tool of its package for users of this node alone. */
  #adopt(machine: MachineView, node: SearchNode): SearchNode {
    this.nodes.set(machine.instance.id, node);
    machine.defineCommand('elasticsearch-users', usersCommand(this.nodeOf.bind(this)));
    return node;
  }

  #callerOf(nodeId: string): Caller {
    const credentials = this.world.machines.credentialsOf(this.#instanceOf(nodeId));
    if (credentials === undefined) throw new Error(`node ${nodeId} is on no instance with a role`);
    return { credentials };
  }

  #instanceOf(nodeId: string): string {
    return [...this.nodes].find(([, node]) => node.id === nodeId)?.[0] ?? '';
  }

  #plug(): void {
    const { machines, network, observe } = this.world;
    const command = clusterCommand(this, this.#live);
    const nextCommand = clusterCommand(this, this.#live, nextVersionOf);
    injectWatch(this.world, this.clusterName);
    machines.onBoot((instance) => this.#isOurs(instance), this.#image(command, nextCommand));
    network.register(
      (host) => this.#nodeAt(host) !== undefined,
      (request) => this.#nodeAt(request.host.split(':')[0]!)!.handle(request),
    );
    network.register(
      (host, origin) =>
        origin.kind === 'machine' && host.startsWith('127.') && this.#isOurs(observe.instance(origin.name)),
      (request, origin) => this.#local(origin.name).handle(request),
    );
    network.register(mastersHost(this.clusterName), (request) => this.#balance(request));
    observe.onInstanceState((instance) => this.#follow(instance));
  }

  #image(command: Program, nextCommand: Program): BootProgram {
    if (this.options.machines !== 'configured') return searchImage(this, command);
    const startNode = this.startConfiguredNode.bind(this);
    const resized = ({ instance }: MachineView, bytes: number) => this.nodes.get(instance.id)?.setDiskBytes(bytes);
    const { world, nodes } = this;
    return searchMachine({ world, nodes, command, nextCommand, startNode, resized, ...this.#differences });
  }

  /** Differences of the software of these machines from the usual one. */
  get #differences() {
    const { catalogs, filesOf, unpublished } = this.options;
    return { catalogs, filesOf, unpublished };
  }

  #isOurs(instance: Instance | undefined): boolean {
    const group = instance?.tags['aws:autoscaling:groupName'];
    return group !== undefined && this.groupNames().includes(group);
  }

  /** The node on a private address. */
  #nodeAt(address: string): SearchNode | undefined {
    return [...this.nodes.values()].find(({ ip }) => ip === address);
  }

  /** A load balancer over the masters: one that listens takes the request. */
  #balance(request: HttpRequest): Promise<HttpResponse> {
    const masters = [...this.nodes.values()].filter(({ running, roles }) => running && roles.includes('master'));
    const chosen = masters[this.#balanced++ % Math.max(1, masters.length)];
    return chosen?.handle(request) ?? Promise.resolve({ status: 503, headers: {}, body: '' });
  }

  /** Nothing listens where no node has been started. */
  #local(instanceId: string): SearchNode {
    const node = this.nodes.get(instanceId);
    if (node === undefined)
      throw Object.assign(new Error('connect ECONNREFUSED 127.0.1.1:9200'), { code: 'ECONNREFUSED' });
    return node;
  }

  /** Elasticsearch stops with its machine; the disk is gone with the instance. */
  #follow(instance: Instance): void {
    if (instance.state !== 'shutting-down' && instance.state !== 'terminated') return;
    const node = this.nodes.get(instance.id);
    if (node === undefined) return;
    for (const tell of this.#leaving) tell(node, instance);
    this.nodes.delete(instance.id);
    node.stop();
    node.destroy();
  }
}
