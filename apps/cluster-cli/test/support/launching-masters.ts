import type { ClusterAws } from '@drover/adapters/aws';
import type { ProcessContext } from '@drover/cloud-machines';
import { World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import {
  clusterDimension,
  facts,
  hooks,
  metricNamespace,
  metrics,
  nodeRoles,
  searchNodeFacts,
} from '@drover/core/names/search-cluster';
import { directCalls } from '@drover/stage/fleet';
import type { Io } from '../../src/io.ts';
import { main, preload } from '../../src/main.ts';
import { type MemoryIo, memoryIo } from './memory-io.ts';

export const minute = 60_000;
export const stateBucket = 'search-state';
const clusterName = 'search';

/** The permissions of a search node's role, as far as `node` commands go. */
const policy = [
  { Action: ['autoscaling:Describe*', 'ec2:DescribeInstances', 'ec2:DescribeInstanceStatus'], Resource: '*' },
  { Action: ['autoscaling:CompleteLifecycleAction', 'autoscaling:CancelInstanceRefresh'], Resource: '*' },
  { Action: ['cloudwatch:PutMetricData', 'secretsmanager:GetSecretValue'], Resource: '*' },
  { Action: ['s3:GetObject', 's3:PutObject'], Resource: `arn:aws:s3:::${stateBucket}/*` },
  { Action: ['s3:ListBucket'], Resource: `arn:aws:s3:::${stateBucket}` },
];

export interface Run {
  readonly io: MemoryIo;
  readonly exitCode: Promise<number>;
}

/** Masters that have been launched and on which Elasticsearch has not been started. */
export class LaunchingMasters {
  readonly clock = new VirtualClock();
  readonly world = new World({ clock: this.clock, seed: 1 });
  /** The response of each machine's own Elasticsearch to any request. */
  readonly answers = new Map<string, (path: string) => { readonly status?: number; readonly body: unknown }>();

  static async launch(size = 3): Promise<LaunchingMasters> {
    await preload();
    const masters = new LaunchingMasters();
    masters.world.machines.onBoot(
      () => true,
      async () => 0,
    );
    await masters.#createBasics();
    await masters.#createGroup(size);
    await masters.up(size);
    return masters;
  }

  aws(service: Parameters<World['aws']['call']>[0], operation: string, input: object = {}): Promise<never> {
    const caller = { credentials: this.world.rootCredentials };
    return this.world.aws.call(service, operation, input, caller) as Promise<never>;
  }

  /** Instances that run, oldest first. */
  get ids(): readonly string[] {
    return this.world.observe
      .instances()
      .filter(({ state }) => state === 'running')
      .map(({ id }) => id);
  }

  stateOf(instanceId: string): string | undefined {
    return this.world.observe.member(instanceId)?.state;
  }

  async up(count: number): Promise<void> {
    const isUp = (id: string) => this.world.machines.get(id)?.state === 'up' && this.stateOf(id) === 'Pending:Wait';
    if (!(await this.clock.runUntil(() => this.ids.filter(isUp).length >= count, 60 * minute)))
      throw new Error(`only ${this.ids.length} masters are up`);
  }

  /** Begins a run of the command on a machine. */
  begin(instanceId: string, argv: readonly string[], wrap = (io: Io, _context: ProcessContext) => io): Run {
    const machine = this.world.machines.get(instanceId)!;
    if (!machine.files.has(facts.files[0])) this.writeFacts(instanceId);
    const io = memoryIo();
    let exit: (code: number) => void = () => {};
    const exitCode = new Promise<number>((resolve) => {
      exit = resolve;
    });
    const process = machine.spawn(
      'cluster-cli',
      async (context) => await main(argv, wrap(this.#io(io, context), context)),
      { argv: ['cluster-cli', ...argv] },
    );
    void process.ended.then(exit);
    return { io, exitCode };
  }

  /** Runs a command and moves time until it has ended. */
  async run(instanceId: string, ...argv: string[]) {
    const { io, exitCode } = this.begin(instanceId, argv);
    return { exitCode: await this.until(exitCode), stdout: io.stdout(), stderr: io.stderr() };
  }

  async until<T>(promise: Promise<T>, limitMs = 60 * minute): Promise<T> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    if (!(await this.clock.runUntil(() => settled, limitMs))) throw new Error('nothing happened');
    return await promise;
  }

  writeFacts(instanceId: string, change: { readonly drover?: object; readonly elasticsearch?: object } = {}): void {
    const drover = { role: nodeRoles.master, ...change.drover };
    const elasticsearch = {
      cluster_name: clusterName,
      environment: 'test',
      master_count: 3,
      state_bucket: stateBucket,
      elastic_secret: 'search/elastic',
      ca_certificate_secret: 'search/ca',
      ...change.elasticsearch,
    };
    const { files } = this.world.machines.get(instanceId)!;
    files.set(facts.files[0], JSON.stringify({ drover, elasticsearch }));
    files.set('/proc/meminfo', 'MemTotal:        3927340 kB\nMemFree: 1 kB\n');
  }

  prepared(instanceId: string): Record<string, unknown> | undefined {
    const text = this.world.machines.get(instanceId)!.files.get(searchNodeFacts.file);
    return text === undefined ? undefined : (JSON.parse(text) as { search_node: Record<string, unknown> }).search_node;
  }

  /** Lowest published days of each period, as the alarm reads them. */
  async certificateDays(): Promise<readonly number[]> {
    const now = this.clock.now();
    const { Datapoints } = (await this.aws('monitoring', 'GetMetricStatistics', {
      Namespace: metricNamespace,
      MetricName: metrics.certificateDays,
      Dimensions: [{ Name: clusterDimension, Value: clusterName }],
      StartTime: new Date(now - 60 * minute),
      EndTime: new Date(now + minute),
      Period: 60,
      Statistics: ['Minimum'],
    })) as { Datapoints: { Minimum: number }[] };
    return Datapoints.map(({ Minimum }) => Minimum);
  }

  object(key: string): string | undefined {
    const found = this.world.observe.object(stateBucket, key);
    return found === undefined ? undefined : Buffer.from(found).toString('utf8');
  }

  #io(memory: MemoryIo, context: ProcessContext): Io {
    const { id } = context.machine.instance;
    return {
      ...memory.io,
      clock: context.clock,
      random: context.random,
      files: {
        read: async (path) => context.machine.files.get(path),
        list: async (folder) =>
          [...context.machine.files.keys()]
            .filter((path) => path.startsWith(`${folder}/`))
            .map((path) => path.slice(folder.length + 1)),
        write: async (path, text) => void context.machine.files.set(path, text),
      },
      exchange: async (request) =>
        request.host.startsWith('127.') ? this.#local(id, request.path) : await context.http(request),
      aws: this.#clients(id),
    };
  }

  #local(instanceId: string, path: string) {
    const answer = this.answers.get(instanceId)?.(path);
    if (answer === undefined) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const headers = { 'content-type': 'application/json' };
    return { status: answer.status ?? 200, headers, body: JSON.stringify(answer.body) };
  }

  #clients(instanceId: string): ClusterAws {
    return directCalls(this.world, () => ({ credentials: this.world.machines.credentialsOf(instanceId)! }));
  }

  async #createBasics(): Promise<void> {
    const document = (statements: readonly object[]) =>
      JSON.stringify({ Version: '2012-10-17', Statement: statements.map((one) => ({ Effect: 'Allow', ...one })) });
    const trust = { Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' };
    await this.aws('s3', 'CreateBucket', { Bucket: stateBucket });
    for (const [Name, SecretString] of [
      ['search/elastic', '{"username":"elastic","password":"the-password"}'],
      ['search/ca', '-----BEGIN CERTIFICATE-----\n'],
    ])
      await this.aws('secretsmanager', 'CreateSecret', { Name, SecretString });
    await this.aws('iam', 'CreateRole', { RoleName: 'node', AssumeRolePolicyDocument: document([trust]) });
    const PolicyDocument = document(policy);
    await this.aws('iam', 'PutRolePolicy', { RoleName: 'node', PolicyName: 'node', PolicyDocument });
    await this.aws('iam', 'CreateInstanceProfile', { InstanceProfileName: 'node' });
    await this.aws('iam', 'AddRoleToInstanceProfile', { InstanceProfileName: 'node', RoleName: 'node' });
    const LaunchTemplateData = {
      ImageId: 'ami-0a10000000000c241',
      InstanceType: 't3a.medium',
      IamInstanceProfile: { Name: 'node' },
    };
    await this.aws('ec2', 'CreateLaunchTemplate', { LaunchTemplateName: 'node', LaunchTemplateData });
  }

  async #createGroup(size: number): Promise<void> {
    const tag = (Key: string, Value: string) => ({
      Key,
      Value,
      PropagateAtLaunch: true,
      ResourceId: clusterName,
      ResourceType: 'auto-scaling-group',
    });
    const hook = (
      { name, heartbeatTimeoutSeconds, defaultResult }: (typeof hooks)[keyof typeof hooks],
      transition: string,
    ) => ({
      LifecycleHookName: name,
      LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition}`,
      HeartbeatTimeout: heartbeatTimeoutSeconds,
      DefaultResult: defaultResult,
    });
    await this.aws('autoscaling', 'CreateAutoScalingGroup', {
      AutoScalingGroupName: clusterName,
      MinSize: 0,
      MaxSize: 6,
      DesiredCapacity: size,
      AvailabilityZones: [...this.world.aws.zones],
      LaunchTemplate: { LaunchTemplateName: 'node', Version: '$Latest' },
      Tags: [tag('cluster', clusterName), tag('environment', 'test')],
      LifecycleHookSpecificationList: [hook(hooks.launching, 'LAUNCHING'), hook(hooks.terminating, 'TERMINATING')],
      InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: 'retain' } },
    });
  }
}
