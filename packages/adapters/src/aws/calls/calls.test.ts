import { DescribeServicesCommand, ECSClient, UpdateServiceCommand } from '@aws-sdk/client-ecs';
import {
  DeregisterTargetsCommand,
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  RegisterTargetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { awsEndpoint } from '@drover/cloud-aws';
import { type HttpRequest, type Served, serve } from '@drover/cloud-engine';
import { World } from '@drover/cloud-world';
import { Secret, VirtualClock } from '@drover/core';
import { emptyMemory } from '@drover/runner-fleet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupReader } from '../group.ts';
import { groupInstances } from '../group-instances.ts';
import { hostReports, hostReportsAndTags, writeReport } from '../instance/host-reports.ts';
import { remoteCommands } from '../remote/remote-commands.ts';
import { transitionTimes } from '../scaling-activities.ts';
import { s3FleetMemory } from '../stored-objects.ts';
import { tokenSecrets } from '../token-secrets.ts';
import type { AwsCalls } from './calls.ts';
import * as autoScalingSdk from './sdk/auto-scaling.ts';
import * as cloudWatchSdk from './sdk/cloudwatch.ts';
import * as ec2Sdk from './sdk/ec2.ts';
import * as secretsManagerSdk from './sdk/secrets-manager.ts';
import * as ssmSdk from './sdk/ssm.ts';
import { sdkCalls } from './sdk-calls.ts';
import { autoScaling } from './signed/auto-scaling.ts';
import { cloudFormation } from './signed/cloud-formation.ts';
import { ec2 } from './signed/ec2.ts';
import { elasticLoadBalancing } from './signed/load-balancing.ts';
import * as otherServices from './signed/services.ts';
import { signedCalls } from './signed/signed-calls.ts';

const signedServices = { autoScaling, cloudFormation, ec2, elasticLoadBalancing, ...otherServices };

const minute = 60_000;
const clock = new VirtualClock();
const world = new World({ clock, seed: 1 });
const keys = world.rootCredentials;
const asked: HttpRequest[] = [];
let served: Served;
let instanceId: string;
let volumeId: string;
let targetGroup: string;

const call = (service: Parameters<World['aws']['call']>[0], operation: string, input: object) =>
  world.aws.call(service, operation, input, { credentials: keys });

/** S3, ECS and load balancers are called through the small client alone; the tests hold it against the SDK all the same. */
const s3Sdk = {
  Client: S3Client,
  commands: {
    CopyObject: CopyObjectCommand,
    DeleteObject: DeleteObjectCommand,
    GetObject: GetObjectCommand,
    PutObject: PutObjectCommand,
  },
};
const ecsSdk = {
  Client: ECSClient,
  commands: { DescribeServices: DescribeServicesCommand, UpdateService: UpdateServiceCommand },
};

const balancingSdk = {
  Client: ElasticLoadBalancingV2Client,
  commands: {
    DeregisterTargets: DeregisterTargetsCommand,
    DescribeTargetHealth: DescribeTargetHealthCommand,
    RegisterTargets: RegisterTargetsCommand,
  },
};

type Call = (operation: string, input: object) => Promise<object>;
type Kind = 'sdk' | 'signed';

const services = {
  autoscaling: { sdk: autoScalingSdk, signed: signedServices.autoScaling },
  ec2: { sdk: ec2Sdk, signed: signedServices.ec2 },
  ecs: { sdk: ecsSdk, signed: signedServices.ecs },
  elasticloadbalancing: { sdk: balancingSdk, signed: signedServices.elasticLoadBalancing },
  monitoring: { sdk: cloudWatchSdk, signed: signedServices.cloudWatch },
  s3: { sdk: s3Sdk, signed: signedServices.s3 },
  secretsmanager: { sdk: secretsManagerSdk, signed: signedServices.secretsManager },
  ssm: { sdk: ssmSdk, signed: signedServices.ssm },
} as const;
type Service = keyof typeof services;

const sdkConfig = () => ({
  region: world.aws.region,
  credentials: async () => keys,
  endpoint: served.url,
  maxAttempts: 1,
  disableRequestCompression: true,
  forcePathStyle: true,
});
const signedConfig = (endpoint = served.url) => ({
  region: async () => world.aws.region,
  credentials: async () => keys,
  endpoint,
});

const callsOf = (service: Service, kind: Kind): Call =>
  (kind === 'sdk'
    ? sdkCalls(services[service].sdk as never, sdkConfig())
    : signedCalls(services[service].signed as never, signedConfig())) as unknown as Call;

/** AWS through one of the two implementations. */
const aws = (kind: Kind) =>
  Object.fromEntries(
    (Object.keys(services) as Service[]).map((service) => [service, callsOf(service, kind)]),
  ) as unknown as AwsCalls;

/** Inputs that the ports send, for things that exist and things that do not. */
const inputs = (): Readonly<Record<string, readonly object[]>> => {
  const bucketKey = { Bucket: 'memory', Key: 'a/fleet-memory.json' };
  const service = { cluster: 'ui', service: 'kibana' };
  const group = { AutoScalingGroupName: 'runners' };
  const action = { ...group, LifecycleHookName: 'registration', InstanceId: instanceId };
  return {
    DescribeAutoScalingGroups: [
      { AutoScalingGroupNames: ['runners'] },
      { AutoScalingGroupNames: ['a', 'b'] },
      { Filters: [{ Name: 'tag:drover:node-group-of', Values: ['logs'] }] },
    ],
    DescribeWarmPool: [{ ...group, NextToken: undefined }],
    DescribeScalingActivities: [{ ...group, MaxRecords: 100, NextToken: undefined }],
    CompleteLifecycleAction: [{ ...action, LifecycleHookName: 'other', LifecycleActionResult: 'CONTINUE' }],
    RecordLifecycleActionHeartbeat: [action, { ...action, InstanceId: 'i-0' }],
    SetInstanceHealth: [
      { InstanceId: instanceId, HealthStatus: 'Healthy', ShouldRespectGracePeriod: false },
      { InstanceId: 'i-0', HealthStatus: 'Unhealthy' },
    ],
    SetInstanceProtection: [{ ...group, InstanceIds: [instanceId], ProtectedFromScaleIn: false }],
    SetDesiredCapacity: [
      { ...group, DesiredCapacity: 1, HonorCooldown: false },
      { AutoScalingGroupName: 'none', DesiredCapacity: 1 },
    ],
    SuspendProcesses: [{ ...group, ScalingProcesses: ['AZRebalance'] }],
    CancelInstanceRefresh: [group],
    DescribeAutoScalingInstances: [{ InstanceIds: [instanceId] }, { InstanceIds: ['i-0'] }],
    DescribeInstanceRefreshes: [{ ...group, MaxRecords: 1 }, { AutoScalingGroupName: 'none' }],
    DescribeLifecycleHooks: [group, { AutoScalingGroupName: 'none' }],
    TerminateInstanceInAutoScalingGroup: [{ InstanceId: 'i-0', ShouldDecrementDesiredCapacity: false }],
    CreateTags: [
      {
        Resources: [instanceId],
        Tags: [
          { Key: 'a', Value: 'x & <y>' },
          { Key: 'b', Value: '' },
        ],
      },
      { Resources: ['i-0123456789abcdef0'], Tags: [{ Key: 'a', Value: 'x' }] },
    ],
    DescribeVolumes: [
      { Filters: [{ Name: 'attachment.instance-id', Values: [instanceId, 'i-0'] }] },
      { Filters: [{ Name: 'nonsense', Values: ['1'] }] },
    ],
    DescribeVolumesModifications: [{ Filters: [{ Name: 'volume-id', Values: [volumeId] }] }],
    ModifyVolume: [
      { VolumeId: volumeId, Size: 30 },
      { VolumeId: 'vol-00000000000000000', Size: 30 },
    ],
    DescribeTags: [
      {
        Filters: [
          { Name: 'resource-id', Values: [instanceId, 'i-0123456789abcdef0'] },
          { Name: 'key', Values: ['a'] },
        ],
        MaxResults: 1000,
      },
    ],
    DescribeInstanceStatus: [
      { Filters: [{ Name: 'instance-status.status', Values: ['ok', 'impaired'] }] },
      { Filters: [{ Name: 'nonsense', Values: ['x'] }] },
    ],
    DescribeInstances: [
      { Filters: [{ Name: 'instance-id', Values: [instanceId] }] },
      { Filters: [{ Name: 'tag:none', Values: ['x'] }] },
    ],
    CreateImage: [
      {
        InstanceId: 'i-0123456789abcdef0',
        Name: 'image',
        TagSpecifications: [
          { ResourceType: 'image', Tags: [{ Key: 'a', Value: '1' }] },
          { ResourceType: 'snapshot', Tags: [{ Key: 'b', Value: '2' }] },
        ],
      },
    ],
    DeleteSnapshot: [{ SnapshotId: 'snap-0123456789abcdef0' }],
    DeregisterImage: [{ ImageId: 'ami-0123456789abcdef0' }],
    DescribeImages: [
      { Owners: ['self', '099720109477'] },
      { Owners: ['self'], Filters: [{ Name: 'tag:none', Values: ['x'] }] },
    ],
    DescribeSnapshots: [{ OwnerIds: ['self'], Filters: [{ Name: 'tag:none', Values: ['x'] }] }],
    RunInstances: [
      {
        ClientToken: 'once',
        LaunchTemplate: template,
        ImageId: 'ami-0a10000000000c241',
        MinCount: 1,
        MaxCount: 1,
        MetadataOptions: { HttpTokens: 'required', InstanceMetadataTags: 'enabled' },
        InstanceInitiatedShutdownBehavior: 'stop',
        HibernationOptions: { Configured: false },
        TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'a', Value: '1' }] }],
      },
      { ClientToken: 'never', LaunchTemplate: { LaunchTemplateName: 'none' }, MinCount: 1, MaxCount: 1 },
    ],
    TerminateInstances: [{ InstanceIds: ['i-0123456789abcdef0', 'i-0123456789abcdef1'] }],
    RegisterTargets: [{ TargetGroupArn: targetGroup, Targets: [{ Id: '10.0.1.1' }, { Id: '10.0.1.2' }] }],
    DescribeTargetHealth: [{ TargetGroupArn: targetGroup }],
    DeregisterTargets: [{ TargetGroupArn: targetGroup, Targets: [{ Id: '10.0.1.1' }] }],
    DescribeServices: [{ cluster: 'ui', services: ['kibana'] }],
    UpdateService: [{ ...service, forceNewDeployment: true }],
    GetObject: [bucketKey, { ...bucketKey, Key: 'none' }, { ...bucketKey, Bucket: 'none' }],
    CopyObject: [
      { Bucket: 'memory', Key: 'copy', CopySource: 'memory/a/fleet-memory.json' },
      { Bucket: 'memory', Key: 'copy', CopySource: 'memory/none' },
    ],
    DeleteObject: [
      { ...bucketKey, Key: 'none' },
      { ...bucketKey, Bucket: 'none' },
    ],
    PutObject: [
      { ...bucketKey, Key: 'b c', Body: 'ü', ContentType: 'application/json' },
      { ...bucketKey, Body: 'x', ContentType: 'text/plain', IfNoneMatch: '*' },
      { ...bucketKey, Body: 'x', ContentType: 'text/plain', IfMatch: '"0"' },
    ],
    PutMetricData: [
      {
        Namespace: 'Drover/ActionsRunner',
        MetricData: [{ MetricName: 'Idle', Value: 1.5, Dimensions: [{ Name: 'Group', Value: 'rünners & <co>' }] }],
      },
      { Namespace: '', MetricData: [] },
    ],
    CreateSecret: [{ Name: 'known', SecretString: 'x', Tags: [{ Key: 'drover:instance', Value: 'arn' }] }],
    PutSecretValue: [
      { SecretId: 'known', SecretString: 'ÿ"\\\n', ClientRequestToken: 'a'.repeat(36) },
      { SecretId: 'unknown', SecretString: 'y' },
    ],
    DeleteSecret: [{ SecretId: 'unknown-too', ForceDeleteWithoutRecovery: true }],
    DescribeSecret: [{ SecretId: 'known' }, { SecretId: 'unknown' }],
    TagResource: [
      { SecretId: 'known', Tags: [{ Key: 'key', Value: 'value' }] },
      { SecretId: 'unknown', Tags: [{ Key: 'key', Value: 'value' }] },
    ],
    UpdateSecretVersionStage: [{ SecretId: 'unknown', VersionStage: 'AWSCURRENT', MoveToVersionId: 'a'.repeat(36) }],
    GetSecretValue: [{ SecretId: 'known' }, { SecretId: 'unknown' }],
    ListSecrets: [{ Filters: [{ Key: 'name', Values: ['known'] }], MaxResults: 100, NextToken: undefined }],
    SendCommand: [
      {
        DocumentName: 'AWS-RunShellScript',
        InstanceIds: ['i-0123456789abcdef0'],
        Parameters: { commands: ['runner-agent status'] },
        Comment: 'runner-agent status',
        TimeoutSeconds: 60,
      },
    ],
    GetParameter: [
      { Name: '/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id' },
      { Name: '/unknown' },
    ],
    PutParameter: [
      {
        Name: '/image',
        Value: 'ami-0123456789abcdef0',
        Type: 'String',
        DataType: 'aws:ec2:image',
        Overwrite: true,
      },
      { Name: '/image', Value: 'x' },
    ],
    ListCommandInvocations: [{ InstanceId: 'i-0123456789abcdef0', MaxResults: 50 }],
  };
};

const template = { LaunchTemplateName: 'runner', Version: '1' };
const targets = {
  Resources: {
    Vpc: { Type: 'AWS::EC2::VPC', Properties: { CidrBlock: '10.0.0.0/16' } },
    Targets: {
      Type: 'AWS::ElasticLoadBalancingV2::TargetGroup',
      Properties: { Port: 9200, Protocol: 'HTTP', TargetType: 'ip', VpcId: { Ref: 'Vpc' } },
    },
  },
  Outputs: { Targets: { Value: { Ref: 'Targets' } } },
};

beforeAll(async () => {
  const endpoint = awsEndpoint(world);
  served = await serve(async (request) => {
    asked.push(request);
    return await endpoint(request);
  });
  await call('s3', 'CreateBucket', { Bucket: 'memory' });
  await call('s3', 'PutObject', { Bucket: 'memory', Key: 'a/fleet-memory.json', Body: Buffer.from('{"a":"ü"}') });
  await call('secretsmanager', 'CreateSecret', { Name: 'known', SecretString: 'x & <y>' });
  await call('ec2', 'CreateLaunchTemplate', {
    LaunchTemplateName: 'runner',
    LaunchTemplateData: { ImageId: 'ami-0a10000000000c241', InstanceType: 't3a.medium' },
  });
  await call('autoscaling', 'CreateAutoScalingGroup', {
    AutoScalingGroupName: 'runners',
    MinSize: 0,
    MaxSize: 3,
    DesiredCapacity: 2,
    AvailabilityZones: [...world.aws.zones],
    LaunchTemplate: template,
    Tags: [
      { Key: 'drover:node-group-of', Value: 'logs', PropagateAtLaunch: false },
      { Key: 'drover:node-roles', Value: 'data_warm ingest', PropagateAtLaunch: false },
    ],
    LifecycleHookSpecificationList: [
      {
        LifecycleHookName: 'registration',
        LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
        HeartbeatTimeout: 7200,
      },
    ],
  });
  await call('autoscaling', 'PutWarmPool', { AutoScalingGroupName: 'runners', MinSize: 1, PoolState: 'Stopped' });
  const members = () => world.observe.members();
  const waits = () => members().every(({ state }) => /Wait$/.test(state));
  await clock.runUntil(() => members().length === 3 && waits(), 30 * minute);
  instanceId = world.observe.instances()[0]!.id;
  const attached = { Filters: [{ Name: 'attachment.instance-id', Values: [instanceId] }] };
  const { Volumes } = (await call('ec2', 'DescribeVolumes', attached)) as {
    readonly Volumes: readonly { readonly VolumeId: string }[];
  };
  volumeId = Volumes[0]!.VolumeId;
  await call('ec2', 'ModifyVolume', { VolumeId: volumeId, Size: 20 });
  await call('cloudformation', 'CreateStack', { StackName: 'site', TemplateBody: JSON.stringify(targets) });
  await clock.advance(minute);
  const { Stacks } = (await call('cloudformation', 'DescribeStacks', { StackName: 'site' })) as {
    readonly Stacks: readonly { readonly Outputs: readonly { readonly OutputValue: string }[] }[];
  };
  targetGroup = Stacks[0]!.Outputs[0]!.OutputValue;
});

afterAll(async () => await served.close());

interface Outcome {
  readonly asked: object;
  readonly output?: object;
  readonly failure?: { readonly name: string; readonly message: string };
}

async function send(service: Service, kind: Kind, operation: string, input: object): Promise<Outcome> {
  asked.length = 0;
  const outcome = await callsOf(service, kind)(operation, input).then(
    async (output) => ({ output: await withText(output) }),
    (failure: Error) => ({ failure: { name: failure.name, message: failure.message } }),
  );
  expect(asked).toHaveLength(1);
  return { asked: essence(service, asked[0]!), ...outcome };
}

/** The SDK returns an object's content as a stream. */
async function withText(output: object): Promise<object> {
  const { Body } = output as { readonly Body?: { transformToString?(): Promise<string> } };
  return Body?.transformToString === undefined ? output : { ...output, Body: await Body.transformToString() };
}

const conditions = ['content-type', 'if-match', 'if-none-match', 'x-amz-target'] as const;

/** The parts of a request that a service sees; idempotency tokens differ each time. */
function essence(service: Service, { method, path, headers, body }: HttpRequest): object {
  const text = Buffer.from(body).toString();
  const scope = /Credential=(\S+),/.exec(headers.authorization ?? '')?.[1];
  const seen = { method, path, scope, ...Object.fromEntries(conditions.map((name) => [name, headers[name]])) };
  if (service === 's3') return { ...seen, 'content-type': method === 'PUT' ? headers['content-type'] : '', text };
  const form = () => Object.fromEntries(new URLSearchParams(text));
  const said = headers['x-amz-target'] === undefined ? form() : (JSON.parse(text) as Record<string, unknown>);
  if (typeof said.ClientRequestToken === 'string') said.ClientRequestToken = said.ClientRequestToken.length;
  return { ...seen, said };
}

describe.each(Object.keys(services) as Service[])('signed calls of %s', (service) => {
  it('offer the operations of the SDK service', () => {
    const { sdk, signed } = services[service];
    expect(Object.keys(signed.operations).sort()).toEqual(Object.keys(sdk.commands).sort());
  });

  it.each(Object.keys(services[service].signed.operations))(
    'send, return and fail as the SDK does: %s',
    async (operation) => {
      const each = inputs()[operation] ?? [];
      expect(each.length, `give ${operation} a row in inputs()`).toBeGreaterThan(0);

      for (const input of each) {
        const theirs = await send(service, 'sdk', operation, input);
        const ours = await send(service, 'signed', operation, input);

        expect(ours.asked).toEqual(theirs.asked);
        if (theirs.failure === undefined) expect(theirs.output).toMatchObject(ours.output!);
        else
          expect(ours.failure).toEqual({
            // The SDK names some errors after their class, not after the code on the wire.
            name: theirs.failure.name.replace(/Fault$/, ''),
            message: `${operation}: ${theirs.failure.message}`,
          });
      }
    },
  );
});

describe('the ports of the functions, on the SDK and on signed calls', () => {
  const both = async (read: (calls: AwsCalls) => Promise<unknown>) => {
    const [sdk, signed] = [await read(aws('sdk')), await read(aws('signed'))];
    expect(signed).toEqual(sdk);
    return JSON.stringify(signed);
  };

  it('read the same group, pool and activities', async () => {
    expect(await both((calls) => groupReader(calls, 'runners').read())).toMatch(/Warmed:Pending:Wait/);
    await both(async (calls) => [...(await transitionTimes(calls, { of: () => 'runners' }).startedAt([instanceId]))]);
  });

  it('read the same instances with their addresses and tags', async () => {
    await call('ec2', 'CreateTags', { Resources: [instanceId], Tags: [{ Key: 'drover:x', Value: '1 < 2' }] });
    const read = await both((calls) => groupInstances(calls).ofGroups(['runners']));

    expect(read).toMatch(/"privateIp":"\d/);
    expect(read).toContain('"drover:x":"1 < 2"');
  });

  it('read the same groups of a search cluster, the further ones by their tags', async () => {
    const groups = await both((calls) => groupInstances(calls).groupsOf('logs'));

    expect(JSON.parse(groups)).toEqual([
      { name: 'logs', holdsData: false },
      { name: 'logs-data', holdsData: true },
      { name: 'runners', holdsData: true },
    ]);
  });

  it('read the same secrets', async () => {
    await tokenSecrets(aws('signed'), 'runners', 'arn:').store('i-1', new Secret('t'));

    expect(await both((calls) => tokenSecrets(calls, 'runners', 'arn:').find('i-1'))).toMatch(/"storedAt":\d/);
    await clock.advance(5 * minute);
    expect(await both((calls) => tokenSecrets(calls, 'runners', 'arn:').list())).toMatch(/"i-1"/);
  });

  it('read the same history of commands', async () => {
    await both((calls) => remoteCommands(calls).recent(instanceId, 0));
  });

  it('read the same host reports', async () => {
    const place = { bucket: 'memory', prefix: 'hosts/' };
    await writeReport(aws('signed'), place, instanceId, { at: clock.now(), phase: 'serving', workers: 1 });

    expect((await hostReports(aws('signed'), place).read([instanceId])).get(instanceId)?.phase).toBe('serving');
  });

  it('read the same tags of hosts of release 0.1.0', async () => {
    const Tags = [{ Key: 'drover:agent', Value: '2026-01-05T00:00:00.000Z/draining/2' }];
    await call('ec2', 'CreateTags', { Resources: [instanceId], Tags });
    const place = { bucket: 'memory', prefix: 'none/' };

    const read = async (calls: AwsCalls) => [...(await hostReportsAndTags(calls, place).read([instanceId]))];

    expect(await both(read)).toMatch(/"draining"/);
  });

  it('read the fleet memory that signed calls wrote', async () => {
    const object = { bucket: 'memory', key: 'memory.json' };
    await s3FleetMemory(aws('signed'), object, emptyMemory).update((memory) => ({ ...memory, sweptAt: 7 }));

    expect((await s3FleetMemory(aws('signed'), object, emptyMemory).read()).sweptAt).toBe(7);
  });
});

/** Responds with each of `answers` in turn; the last one stays. */
async function against(answers: readonly (() => Response)[], act: (url: string) => Promise<void>): Promise<number> {
  let count = 0;
  const server = await serve(async () => {
    const answer = answers[Math.min(count++, answers.length - 1)]!();
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  });
  try {
    await act(server.url);
  } finally {
    await server.close();
  }
  return count;
}

describe('a call that signed calls cannot complete', () => {
  const ask = (url: string) =>
    signedCalls(signedServices.secretsManager, signedConfig(url))('GetSecretValue', { SecretId: 'a' });
  const ok = () => Response.json({ SecretString: 'x' });
  const throttled = () => Response.json({ __type: 'com.amazonaws#ThrottlingException' }, { status: 400 });
  const broken = () => new Response('<html>502</html>', { status: 502 });

  it.each([
    ['an error of the server', broken],
    ['a throttled call', throttled],
  ])('signed calls try again after %s', async (_, answer) => {
    const count = await against([answer, answer, ok], async (url) => {
      expect(await ask(url)).toEqual({ SecretString: 'x' });
    });

    expect(count).toBe(3);
  });

  it('signed calls fail after three attempts', async () => {
    const count = await against([broken], async (url) => {
      await expect(ask(url)).rejects.toMatchObject({ name: 'Http502', message: 'GetSecretValue: AWS returned 502' });
    });

    expect(count).toBe(3);
  });

  it('signed calls are not tried again after a refusal', async () => {
    const refusal = () => Response.json({ __type: 'AccessDeniedException', Message: 'not you' }, { status: 400 });
    const count = await against([refusal], async (url) => {
      await expect(ask(url)).rejects.toMatchObject({
        name: 'AccessDeniedException',
        message: 'GetSecretValue: not you',
      });
    });

    expect(count).toBe(1);
  });

  it('signed calls name the address that could not be reached', async () => {
    await expect(ask('http://127.0.0.1:1')).rejects.toThrow(/ECONNREFUSED/);
  });

  it.each([
    ['half of the XML', '<DescribeAutoScalingGroupsResponse><DescribeAutoScalingGroupsResult><AutoScalingGroups><memb'],
    ['a page for people', '<html><body>hello</body></html>'],
    ['nothing', ''],
  ])('groupReader does not take %s for an empty group', async (_, body) => {
    await against([() => new Response(body)], async (url) => {
      const autoscaling = signedCalls(signedServices.autoScaling, signedConfig(url));
      const read = groupReader({ autoscaling }, 'runners').read();

      await expect(read).rejects.toThrow(/the response to DescribeAutoScalingGroups cannot be read/);
    });
  });

  it('signed calls send a conditional write once: a second attempt would fail on what the first one wrote', async () => {
    const count = await against([broken], async (url) => {
      const put = signedCalls(signedServices.s3, signedConfig(url))('PutObject', { Bucket: 'a', Key: 'b', Body: '' });
      await expect(put).rejects.toMatchObject({ name: 'Http502' });
    });

    expect(count).toBe(1);
  });
});
