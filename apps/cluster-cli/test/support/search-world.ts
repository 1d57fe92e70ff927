import type { ClusterAws } from '@drover/adapters/aws/clients';
import { basicAuth } from '@drover/adapters/search/login';
import { VirtualClock } from '@drover/core';
import { facts, groupNames, hooks } from '@drover/core/names/search-cluster';
import { type ProcessContext, World } from '@drover/embedded-cloud';
import type { Caller } from '@drover/embedded-cloud/aws/aws';
import type { Ec2Instance } from '@drover/embedded-cloud/aws/siblings';
import { SearchCluster, type SearchClusterOptions } from '@drover/embedded-cloud/search/search-cluster';
import type { NodeOptions, SearchNode } from '@drover/embedded-cloud/search/search-node';
import type { Io } from '../../src/io.ts';
import { main } from '../../src/main.ts';
import { preload } from '../../src/preload.ts';
import { type MemoryIo, memoryIo } from './memory-io.ts';

export const clusterName = 'search';
export const minute = 60_000;
export const hour = 60 * minute;

/** What cron runs every five minutes on each node, word for word as in the specification. */
export const scheduledDrain =
  'cluster-cli --quiet cluster decommission-node --only-if-terminating --reason instance_refresh --complete-lifecycle-action --wait-until-complete 172800';
export const commission = `cluster-cli cluster commission-node --complete-lifecycle-action ${hooks.launching.name}`;

export const secretIds = { elastic: 'search/elastic', kibana: 'search/kibana_system' } as const;
const nodeFacts = {
  elastic_secret: secretIds.elastic,
  kibana_system_secret: secretIds.kibana,
  snapshots_bucket: 'search-snapshots',
};

/** Security as on the nodes: the bootstrap password from the secret, monitoring for everybody. */
const security = {
  bootstrapPassword: `initial-${secretIds.elastic}`,
  roles: { anonymous_monitor: { cluster: ['monitor'], indices: [{ names: ['*'], privileges: ['monitor'] }] } },
  anonymous: { roles: ['anonymous_monitor'], authzException: false },
};

/** Exactly what a search node's role allows. */
const nodePolicy = [
  'autoscaling:CancelInstanceRefresh',
  'autoscaling:CompleteLifecycleAction',
  'autoscaling:DescribeAutoScalingGroups',
  'autoscaling:DescribeAutoScalingInstances',
  'autoscaling:DescribeLifecycleHooks',
  'autoscaling:DescribeScalingActivities',
  'autoscaling:RecordLifecycleActionHeartbeat',
  'autoscaling:TerminateInstanceInAutoScalingGroup',
  'ec2:CreateTags',
  'ec2:DescribeInstances',
  'secretsmanager:GetSecretValue',
  'secretsmanager:PutSecretValue',
  'secretsmanager:UpdateSecretVersionStage',
];

export interface SearchWorldOptions {
  readonly masters?: number;
  readonly data?: number;
  readonly cluster?: SearchClusterOptions;
  readonly node?: Partial<NodeOptions>;
  /** Whether a node that boots now gets its cron jobs. @default true */
  readonly cron?: boolean | (() => boolean);
  /** Stands between the command and the outside of one process. */
  readonly wrap?: (io: Io, context: ProcessContext) => Io;
}

export interface EndedRun {
  readonly instanceId: string;
  readonly argv: readonly string[];
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A search cluster in two autoscaling groups on the embedded cloud, whose machines run the real command. */
export class SearchWorld {
  readonly clock = new VirtualClock();
  readonly world: World;
  readonly cluster: SearchCluster;
  readonly root: Caller;
  readonly nodes = new Map<string, SearchNode>();
  /** Every run of the command that has ended: who, what, exit code, output. */
  readonly runs: EndedRun[] = [];
  readonly #options: SearchWorldOptions;
  readonly #locks = new Map<string, number>();
  readonly #waiting = new Map<string, (ended: EndedRun) => void>();
  #begun = 0;
  /** Output of runs that have not ended. */
  readonly #live = new Set<MemoryIo>();

  private constructor(options: SearchWorldOptions) {
    this.#options = options;
    this.world = new World({ clock: this.clock, seed: 1 });
    this.root = { credentials: this.world.aws.iam.rootCredentials };
    this.cluster = new SearchCluster(this.world.engine, { clusterName, security, ...options.cluster });
  }

  /** A green cluster with all its instances in service. */
  static async start(options: SearchWorldOptions = {}): Promise<SearchWorld> {
    await preload();
    const world = new SearchWorld(options);
    world.#plug();
    await world.#createRole();
    for (const secret of Object.values(secretIds))
      await world.aws('secretsmanager', 'CreateSecret', { Name: secret, SecretString: `initial-${secret}` });
    const [masters, data] = [options.masters ?? 3, options.data ?? 3];
    await world.#createGroup(groupNames.master(clusterName), masters);
    await world.#createGroup(groupNames.data(clusterName), data);
    if (!(await world.clock.runUntil(() => world.inService().length === masters + data, 2 * hour)))
      throw new Error(`only ${world.inService().length} instances came into service: ${world.report()}`);
    return world;
  }

  aws(service: Parameters<World['aws']['call']>[0], operation: string, input: object = {}): Promise<never> {
    return this.world.aws.call(service, operation, input, this.root) as Promise<never>;
  }

  /** Instances of both groups with their states. */
  members(): readonly { readonly id: string; readonly group: string; readonly state: string }[] {
    return [...this.world.aws.autoscaling.scaler.members.values()].map((member) => ({
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
    return this.members().find(({ id }) => id === instanceId)?.state;
  }

  nodeOf(instanceId: string): SearchNode {
    const node = this.nodes.get(instanceId);
    if (node === undefined) throw new Error(`no search node on ${instanceId}`);
    return node;
  }

  /** One request to Elasticsearch as an operator; moves time until the answer is there. */
  async search<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    return await this.until(this.ask<T>(method, path, body), hour);
  }

  /** The same for whoever does not move time. */
  async ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const node = [...this.nodes.values()].find((candidate) => candidate.running && candidate.attached);
    if (node === undefined) throw new Error('no search node is up');
    const [name, query = ''] = path.split('?');
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers: Record<string, string> = {
      host: 'operator',
      authorization: basicAuth('elastic', this.elasticPassword()),
      ...(text === '' ? {} : { 'content-type': 'application/json' }),
    };
    const answer = await node.handle({
      method,
      host: 'operator',
      path: name!,
      query,
      headers,
      body: Buffer.from(text),
    });
    const received = String(typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body));
    return JSON.parse(received === '' ? '{}' : received) as T;
  }

  /** Runs a command line on an instance and moves time until it has ended. */
  async run(instanceId: string, commandLine: string, limitMs = 60 * hour): Promise<EndedRun> {
    return await this.until(this.begin(instanceId, commandLine), limitMs);
  }

  /** Begins a command line; resolves when it has ended, also when its machine goes down at the same moment. */
  begin(instanceId: string, commandLine: string): Promise<EndedRun> {
    const run = String(this.#begun++);
    const command = this.world.machines.get(instanceId)!.runCommand(commandLine, { env: { TEST_RUN: run } });
    return new Promise((resolve, reject) => {
      this.#waiting.set(run, resolve);
      command.catch(reject);
    });
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

  /** What the secret says now. */
  elasticPassword(): string {
    return this.world.aws.secretsmanager.resolve(secretIds.elastic, {});
  }

  async health(): Promise<string> {
    return (await this.search<{ status: string }>('GET', '/_cluster/health')).status;
  }

  async records(): Promise<readonly Record<string, unknown>[]> {
    return (await this.search<{ nodes: Record<string, unknown>[] }>('GET', '/_nodes/shutdown')).nodes;
  }

  report(): string {
    const live = [...this.#live].map((memory) => memory.stderr());
    const failed = this.runs.filter(({ exitCode }) => exitCode !== 0).slice(-6);
    return JSON.stringify({ members: this.members(), live, failed }, undefined, 1);
  }

  // ---- how machines work ---------------------------------------------------------------------------------------------

  #plug(): void {
    const { machines, network, aws } = this.world;
    machines.onBoot(
      () => true,
      (context) => this.#boot(context),
    );
    network.register(
      (host, origin) => origin.kind === 'machine' && host.startsWith('127.'),
      (request, origin) => this.nodeOf(origin.name).handle(request),
    );
    aws.ec2.onInstanceState((instance) => this.#follow(instance));
  }

  /** Elasticsearch stops with its machine; the disk is gone with the instance. */
  #follow(instance: Ec2Instance): void {
    if (instance.state !== 'shutting-down' && instance.state !== 'terminated') return;
    const node = this.nodes.get(instance.id);
    if (node === undefined) return;
    this.nodes.delete(instance.id);
    node.stop();
    this.cluster.removeNode(node);
  }

  async #boot(context: ProcessContext): Promise<number> {
    const { machine } = context;
    const { instance } = machine;
    const isMaster = instance.tags['aws:autoscaling:groupName'] === groupNames.master(clusterName);
    machine.defineCommand('cluster-cli', (process) => this.#command(process));
    const node = this.cluster.addNode({
      name: `${isMaster ? 'master' : 'data'}-${instance.id}`,
      roles: isMaster ? ['master'] : ['data', 'ingest'],
      zone: instance.availabilityZone,
      ip: instance.privateIp,
      ...this.#options.node,
    });
    this.nodes.set(instance.id, node);
    machine.files.set(facts.files[0], JSON.stringify({ elasticsearch: nodeFacts }));
    const { cron = true } = this.#options;
    if (typeof cron === 'function' ? cron() : cron) {
      machine.addCron('decommission', 5 * minute, scheduledDrain);
      if (isMaster) machine.addCron('reap', 5 * minute, 'cluster-cli --quiet cluster reap');
    }
    void machine.runCommand(commission);
    return 0;
  }

  async #command(context: ProcessContext): Promise<number> {
    const memory = memoryIo();
    this.#live.add(memory);
    const plain: Io = {
      ...memory.io,
      env: { ...context.env },
      clock: context.clock,
      random: context.random,
      files: {
        read: async (path) => context.machine.files.get(path),
        list: async (folder) => filesIn(context, folder),
      },
      exchange: (request) => context.http(request),
      aws: this.clusterAws(context),
      lock: { acquire: async (name) => this.#lock(context, name) },
    };
    const exitCode = await main(context.argv.slice(1), this.#options.wrap?.(plain, context) ?? plain);
    const ended = {
      instanceId: context.machine.instance.id,
      argv: context.argv,
      exitCode,
      stdout: memory.stdout(),
      stderr: memory.stderr(),
    };
    this.runs.push(ended);
    this.#waiting.get(context.env.TEST_RUN ?? '')?.(ended);
    this.#live.delete(memory);
    context.stdout(ended.stdout);
    context.stderr(ended.stderr);
    return exitCode;
  }

  /** AWS with the rights of the instance's own role. */
  clusterAws(context: ProcessContext): ClusterAws {
    const { id } = context.machine.instance;
    const client = (service: 'autoscaling' | 'ec2' | 'secretsmanager') => async () => ({
      send: (command: never) =>
        this.world.aws.directClient(service, { credentials: this.world.machines.credentialsOf(id)! }).send(command),
    });
    return {
      autoScaling: client('autoscaling'),
      ec2: client('ec2'),
      secrets: client('secretsmanager'),
    } as unknown as ClusterAws;
  }

  /** As the kernel keeps it: free again when the process has died. */
  #lock(context: ProcessContext, name: string) {
    const key = `${context.machine.instance.id}/${name}`;
    const owner = this.#locks.get(key);
    const alive =
      owner !== undefined &&
      context.machine.processes().some((process) => process.pid === owner && process.exitCode === undefined);
    if (alive) return undefined;
    this.#locks.set(key, context.pid);
    return { release: async () => void this.#locks.delete(key) };
  }

  async #createRole(): Promise<void> {
    const document = (statement: object) => JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    const trust = { Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' };
    await this.aws('iam', 'CreateRole', { RoleName: 'node', AssumeRolePolicyDocument: document(trust) });
    await this.aws('iam', 'PutRolePolicy', {
      RoleName: 'node',
      PolicyName: 'node',
      PolicyDocument: document({ Effect: 'Allow', Action: nodePolicy, Resource: '*' }),
    });
    await this.aws('iam', 'CreateInstanceProfile', { InstanceProfileName: 'node' });
    await this.aws('iam', 'AddRoleToInstanceProfile', { InstanceProfileName: 'node', RoleName: 'node' });
    const LaunchTemplateData = {
      ImageId: 'ami-0a10000000000c241',
      InstanceType: 't3a.medium',
      IamInstanceProfile: { Name: 'node' },
    };
    await this.aws('ec2', 'CreateLaunchTemplate', { LaunchTemplateName: 'node', LaunchTemplateData });
  }

  async #createGroup(name: string, size: number): Promise<void> {
    const hook = (
      spec: { readonly name: string; readonly heartbeatTimeoutSeconds: number; readonly defaultResult: string },
      transition: string,
    ) => ({
      LifecycleHookName: spec.name,
      LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition}`,
      HeartbeatTimeout: spec.heartbeatTimeoutSeconds,
      DefaultResult: spec.defaultResult,
    });
    await this.aws('autoscaling', 'CreateAutoScalingGroup', {
      AutoScalingGroupName: name,
      MinSize: 1,
      MaxSize: size + 1,
      DesiredCapacity: size,
      AvailabilityZones: [...this.world.aws.zones],
      LaunchTemplate: { LaunchTemplateName: 'node', Version: '$Latest' },
      LifecycleHookSpecificationList: [hook(hooks.launching, 'LAUNCHING'), hook(hooks.terminating, 'TERMINATING')],
      InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: 'retain' } },
    });
  }
}

const filesIn = (context: ProcessContext, folder: string) =>
  [...context.machine.files.keys()]
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1));
