import type { Caller } from '@drover/cloud-aws';
import { inProcessClientConfig, requestHandlerOver } from '@drover/cloud-aws';
import { asFetch } from '@drover/cloud-engine';
import { World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import type { Machine } from './machine.ts';
import type { ProcessContext, Program } from './program.ts';

/** A world with a virtual clock in which tests launch machines through EC2. */
export class MachineFixture {
  readonly clock: VirtualClock;
  readonly world: World;
  readonly root: Caller;

  constructor(seed = 1, clock = new VirtualClock()) {
    this.clock = clock;
    this.world = new World({ clock, seed });
    this.root = { credentials: this.world.aws.iam.rootCredentials };
  }

  iam(operation: string, input: object): Promise<unknown> {
    return this.world.aws.call('iam', operation, input, this.root);
  }

  /** An instance profile with a role of the same name that EC2 may assume. */
  async createProfile(name: string, statements: readonly object[], managed: readonly string[] = []): Promise<void> {
    const trust = { Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' };
    await this.iam('CreateRole', { RoleName: name, AssumeRolePolicyDocument: document([trust]) });
    if (statements.length > 0)
      await this.iam('PutRolePolicy', { RoleName: name, PolicyName: 'p', PolicyDocument: document(statements) });
    for (const policy of managed)
      await this.iam('AttachRolePolicy', { RoleName: name, PolicyArn: `arn:aws:iam::aws:policy/${policy}` });
    await this.iam('CreateInstanceProfile', { InstanceProfileName: name });
    await this.iam('AddRoleToInstanceProfile', { InstanceProfileName: name, RoleName: name });
  }

  /** Launches an instance that can hibernate and waits until it is up. */
  async launch(data: object = {}, tags: Record<string, string> = {}): Promise<Machine> {
    const id = await this.launchOnly(data, tags);
    await this.clock.runUntil(() => this.world.machines.get(id)?.state === 'up', 300_000);
    return this.world.machines.get(id)!;
  }

  /** Launches a machine that runs one program at boot. */
  launchWith(program: Program): Promise<Machine> {
    this.world.machines.onBoot(() => true, program);
    return this.launch();
  }

  /** The state of the machine's instance in EC2. */
  instanceState(machine: Machine): string | undefined {
    return this.world.aws.ec2.instances.get(machine.instance.id)?.state;
  }

  async launchOnly(data: object = {}, tags: Record<string, string> = {}): Promise<string> {
    const { aws } = this.world;
    const name = `template-${this.world.engine.journal.length}`;
    const LaunchTemplateData = {
      ImageId: 'ami-0a10000000000a201',
      InstanceType: 't3.medium',
      HibernationOptions: { Configured: true },
      MetadataOptions: { HttpTokens: 'required', InstanceMetadataTags: 'enabled' },
      BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { Encrypted: true, VolumeSize: 30 } }],
      ...data,
    };
    await aws.call('ec2', 'CreateLaunchTemplate', { LaunchTemplateName: name, LaunchTemplateData }, this.root);
    const subnetId = [...aws.ec2.network.subnets.values()][0]!.id;
    return aws.ec2.launch({ launchTemplate: { name, version: '$Latest' }, subnetId, tags }).id;
  }

  /** Moves time until the promise has settled, and returns its value. */
  async until<T>(promise: Promise<T>, limitMs = 600_000): Promise<T> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    if (!(await this.clock.runUntil(() => settled, limitMs))) throw new Error(`nothing happened in ${limitMs} ms`);
    return promise;
  }

  /** Whether the promise is still open after `forMs`. */
  async open(promise: Promise<unknown>, forMs: number): Promise<boolean> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    await this.clock.advance(forMs);
    return !settled;
  }

  /** The events on machines, as `name` or `name(detail)`. */
  story(instanceId: string): string[] {
    return this.world.engine.journal.entries
      .filter(({ source, subject }) => source === 'machine' && subject === instanceId)
      .map(({ name, detail }) => (detail?.unit === undefined ? name : `${name} (${detail.unit})`));
  }
}

/** How an SDK client on a machine is made: through its process's network, with the role from the metadata service. */
export async function clientConfigOn(context: ProcessContext, world: World, role: string) {
  const held = JSON.parse(await readMetadata(context, `meta-data/iam/security-credentials/${role}`));
  const credentials = {
    accessKeyId: held.AccessKeyId as string,
    secretAccessKey: held.SecretAccessKey as string,
    sessionToken: held.Token as string,
  };
  const requestHandler = requestHandlerOver(context.http, { clock: context.clock });
  return { ...inProcessClientConfig(world, credentials), requestHandler };
}

const document = (Statement: readonly object[]) => JSON.stringify({ Version: '2012-10-17', Statement });

/** Runs until it is signalled. */
export const idle: Program = () => new Promise(() => {});

/** One metadata read as programs do it: token first. */
export async function readMetadata(context: ProcessContext, path: string): Promise<string> {
  const fetch = asFetch(context.http);
  const ttl = { 'x-aws-ec2-metadata-token-ttl-seconds': '60' };
  const token = await (await fetch('http://169.254.169.254/latest/api/token', { method: 'PUT', headers: ttl })).text();
  const headers = { 'x-aws-ec2-metadata-token': token };
  const response = await fetch(`http://169.254.169.254/latest/${path}`, { headers });
  return response.ok ? await response.text() : String(response.status);
}
