import * as sdkAutoScaling from '@aws-sdk/client-auto-scaling';
import * as sdkCloudWatch from '@aws-sdk/client-cloudwatch';
import * as sdkSecretsManager from '@aws-sdk/client-secrets-manager';
import * as sdkSsm from '@aws-sdk/client-ssm';
import { awsEndpoint } from '@drover/cloud-aws';
import type { HttpRequest } from '@drover/cloud-engine';
import { type Served, serve } from '@drover/cloud-engine';
import { World } from '@drover/cloud-world';
import { Secret, VirtualClock } from '@drover/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupReader, transitionTimes } from '../group.ts';
import { remoteCommands } from '../remote-commands.ts';
import { tokenSecrets } from '../token-secrets.ts';
import * as leanAutoScaling from './auto-scaling.ts';
import * as leanCloudWatch from './cloudwatch.ts';
import * as leanSecretsManager from './secrets-manager.ts';
import * as leanSsm from './ssm.ts';

const minute = 60_000;
const clock = new VirtualClock();
const world = new World({ clock, seed: 1 });
const keys = world.rootCredentials;
const asked: HttpRequest[] = [];
let served: Served;
let instanceId: string;

const call = (service: Parameters<World['aws']['call']>[0], operation: string, input: object) =>
  world.aws.call(service, operation, input, { credentials: keys });

// biome-ignore lint/suspicious/noExplicitAny: modules of the SDK and their stand-ins, used by the names of their exports
type Module = Readonly<Record<string, any>>;
const services: Readonly<Record<string, { readonly sdk: Module; readonly lean: Module; readonly client: string }>> = {
  'auto-scaling': { sdk: sdkAutoScaling, lean: leanAutoScaling, client: 'AutoScalingClient' },
  cloudwatch: { sdk: sdkCloudWatch, lean: leanCloudWatch, client: 'CloudWatchClient' },
  'secrets-manager': { sdk: sdkSecretsManager, lean: leanSecretsManager, client: 'SecretsManagerClient' },
  ssm: { sdk: sdkSsm, lean: leanSsm, client: 'SSMClient' },
};

const config = () => ({
  region: world.aws.region,
  credentials: async () => keys,
  endpoint: served.url,
  maxAttempts: 1,
  disableRequestCompression: true,
});
const clientOf = (service: string, kind: 'sdk' | 'lean') => {
  const { [kind]: module, client } = services[service]!;
  return new module[client](config());
};

/** The ports make commands of the SDK here; in a bundle they make those of the stand-in. */
const portClient = (service: string, kind: 'sdk' | 'lean', client = clientOf(service, kind)) => ({
  send: (made: { readonly input: object }) =>
    client.send(new services[service]![kind][made.constructor.name](made.input)),
});

/** What our ports send, with things that exist and things that do not. */
const inputs = (): Readonly<Record<string, readonly object[]>> => {
  const group = { AutoScalingGroupName: 'runners' };
  const action = { ...group, LifecycleHookName: 'registration', InstanceId: instanceId };
  return {
    DescribeAutoScalingGroupsCommand: [{ AutoScalingGroupNames: ['runners'] }, { AutoScalingGroupNames: ['a', 'b'] }],
    DescribeWarmPoolCommand: [{ ...group, NextToken: undefined }],
    DescribeScalingActivitiesCommand: [{ ...group, MaxRecords: 100, NextToken: undefined }],
    CompleteLifecycleActionCommand: [{ ...action, LifecycleHookName: 'other', LifecycleActionResult: 'CONTINUE' }],
    RecordLifecycleActionHeartbeatCommand: [action, { ...action, InstanceId: 'i-0' }],
    SetInstanceHealthCommand: [
      { InstanceId: instanceId, HealthStatus: 'Healthy', ShouldRespectGracePeriod: false },
      { InstanceId: 'i-0', HealthStatus: 'Unhealthy' },
    ],
    SetInstanceProtectionCommand: [{ ...group, InstanceIds: [instanceId], ProtectedFromScaleIn: false }],
    PutMetricDataCommand: [
      {
        Namespace: 'Drover/ActionsRunner',
        MetricData: [{ MetricName: 'Idle', Value: 1.5, Dimensions: [{ Name: 'Group', Value: 'rünners & <co>' }] }],
      },
      { Namespace: '', MetricData: [] },
    ],
    CreateSecretCommand: [{ Name: 'known', SecretString: 'x', Tags: [{ Key: 'drover:instance', Value: 'arn' }] }],
    PutSecretValueCommand: [
      { SecretId: 'known', SecretString: 'ÿ"\\\n', ClientRequestToken: 'a'.repeat(36) },
      { SecretId: 'unknown', SecretString: 'y' },
    ],
    DeleteSecretCommand: [{ SecretId: 'unknown-too', ForceDeleteWithoutRecovery: true }],
    GetSecretValueCommand: [{ SecretId: 'known' }, { SecretId: 'unknown' }],
    ListSecretsCommand: [{ Filters: [{ Key: 'name', Values: ['known'] }], MaxResults: 100, NextToken: undefined }],
    SendCommandCommand: [
      {
        DocumentName: 'AWS-RunShellScript',
        InstanceIds: ['i-0123456789abcdef0'],
        Parameters: { commands: ['runner-agent status'] },
        Comment: 'runner-agent status',
        TimeoutSeconds: 60,
      },
    ],
    ListCommandInvocationsCommand: [{ InstanceId: 'i-0123456789abcdef0', MaxResults: 50 }],
  };
};

const template = { LaunchTemplateName: 'runner', Version: '1' };

beforeAll(async () => {
  const endpoint = awsEndpoint(world);
  served = await serve(async (request) => {
    asked.push(request);
    return await endpoint(request);
  });
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
    LifecycleHookSpecificationList: [
      {
        LifecycleHookName: 'registration',
        LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
        HeartbeatTimeout: 7200,
      },
    ],
  });
  await call('autoscaling', 'PutWarmPool', { AutoScalingGroupName: 'runners', MinSize: 1, PoolState: 'Stopped' });
  const waits = () => world.observe.members().every(({ state }) => /Wait$/.test(state));
  await clock.runUntil(() => world.observe.members().length === 3 && waits(), 30 * minute);
  instanceId = world.observe.members()[0]!.instanceId;
});

afterAll(async () => await served.close());

interface Outcome {
  readonly asked: object;
  readonly answer?: object;
  readonly failure?: { readonly name: string; readonly message: string };
}

async function send(service: string, kind: 'sdk' | 'lean', name: string, input: object): Promise<Outcome> {
  asked.length = 0;
  const client = clientOf(service, kind);
  const outcome = await client.send(new services[service]![kind][name](input)).then(
    (answer: object) => ({ answer }),
    (failure: Error) => ({ failure: { name: failure.name, message: failure.message } }),
  );
  expect(asked).toHaveLength(1);
  return { asked: essence(asked[0]!), ...outcome };
}

/** What a service sees of a request; tokens against repetition are different each time. */
function essence({ method, path, headers, body }: HttpRequest): object {
  const text = Buffer.from(body).toString();
  const form = () => Object.fromEntries(new URLSearchParams(text));
  const said = headers['x-amz-target'] === undefined ? form() : (JSON.parse(text) as Record<string, unknown>);
  if (typeof said.ClientRequestToken === 'string') said.ClientRequestToken = said.ClientRequestToken.length;
  const scope = /Credential=(\S+),/.exec(headers.authorization ?? '')?.[1];
  return { method, path, type: headers['content-type'], target: headers['x-amz-target'], scope, said };
}

describe.each(Object.entries(services))('the stand-in for client-%s', (service, { lean }) => {
  const names = Object.keys(lean).filter((name) => name.endsWith('Command'));

  it.each(names)('asks and answers as the SDK does: %s', async (name) => {
    const each = inputs()[name]!;
    expect(each.length).toBeGreaterThan(0);

    for (const input of each) {
      const theirs = await send(service, 'sdk', name, input);
      const ours = await send(service, 'lean', name, input);

      expect(ours.asked).toEqual(theirs.asked);
      if (theirs.failure === undefined) expect(theirs.answer).toMatchObject(ours.answer!);
      else {
        expect(ours.failure?.name).toBe(theirs.failure.name);
        expect(ours.failure?.message).toBe(`${name.replace(/Command$/, '')}: ${theirs.failure.message}`);
      }
    }
  });
});

describe('the ports of the functions', () => {
  const both = async (service: string, read: (client: never) => Promise<unknown>) => {
    const [sdk, lean] = [
      await read(portClient(service, 'sdk') as never),
      await read(portClient(service, 'lean') as never),
    ];
    expect(lean).toEqual(sdk);
    return JSON.stringify(lean);
  };

  it('read the same group, pool and activities', async () => {
    expect(await both('auto-scaling', (client) => groupReader(client, 'runners').read())).toMatch(
      /Warmed:Pending:Wait/,
    );
    await both('auto-scaling', async (client) => [
      ...(await transitionTimes(client, 'runners').startedAt([instanceId])),
    ]);
  });

  it('read the same secrets', async () => {
    await tokenSecrets(portClient('secrets-manager', 'lean') as never, 'runners', 'arn:').store('i-1', new Secret('t'));

    expect(await both('secrets-manager', (client) => tokenSecrets(client, 'runners', 'arn:').list())).toMatch(/"i-1"/);
  });

  it('read the same history of commands', async () => {
    await both('ssm', (client) => remoteCommands(client).recent(instanceId, 0));
  });
});

/** Answers in turn; the last one stays. */
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

describe('a bad moment of AWS', () => {
  const secrets = (endpoint: string) => new leanSecretsManager.SecretsManagerClient({ ...config(), endpoint });
  const ask = (url: string) => secrets(url).send(new leanSecretsManager.GetSecretValueCommand({ SecretId: 'a' }));
  const ok = () => Response.json({ SecretString: 'x' });
  const throttled = () => Response.json({ __type: 'com.amazonaws#ThrottlingException' }, { status: 400 });
  const broken = () => new Response('<html>502</html>', { status: 502 });

  it.each([
    ['an error of the server', broken],
    ['a throttled call', throttled],
  ])('passes: %s', async (_, answer) => {
    const count = await against([answer, answer, ok], async (url) => {
      expect(await ask(url)).toEqual({ SecretString: 'x' });
    });

    expect(count).toBe(3);
  });

  it('is an error after three tries', async () => {
    const count = await against([broken], async (url) => {
      await expect(ask(url)).rejects.toMatchObject({ name: 'Http502', message: 'GetSecretValue: AWS answered 502' });
    });

    expect(count).toBe(3);
  });

  it('is no reason to repeat what was refused', async () => {
    const refusal = () => Response.json({ __type: 'AccessDeniedException', Message: 'not you' }, { status: 400 });
    const count = await against([refusal], async (url) => {
      await expect(ask(url)).rejects.toMatchObject({
        name: 'AccessDeniedException',
        message: 'GetSecretValue: not you',
      });
    });

    expect(count).toBe(1);
  });

  it('says what could not be reached', async () => {
    await expect(ask('http://127.0.0.1:1')).rejects.toThrow(/ECONNREFUSED/);
  });

  it.each([
    ['half of the XML', '<DescribeAutoScalingGroupsResponse><DescribeAutoScalingGroupsResult><AutoScalingGroups><memb'],
    ['a page for people', '<html><body>hello</body></html>'],
    ['nothing', ''],
  ])('is never an empty group: %s', async (_, body) => {
    await against([() => new Response(body)], async (url) => {
      const client = new leanAutoScaling.AutoScalingClient({ ...config(), endpoint: url });
      const read = groupReader(portClient('auto-scaling', 'lean', client) as never, 'runners').read();

      await expect(read).rejects.toThrow(/DescribeAutoScalingGroups was answered with something that is no answer/);
    });
  });
});
