import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScaledClock } from '@drover/core';
import { type FunctionSuffix, functionName } from '@drover/core/names/runner-fleet';
import { CodeHost, deployCloudAssembly, type Served, serveAws, serveCodeHost, World } from '@drover/embedded-cloud';
import { loadIntoProcess } from '@drover/embedded-cloud/aws/lambda/runtime/child-process';
import { platformTokenSecret, synthesiseFleet } from '@drover/simulation/fleet/fleet-app';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const platformToken = 'ghp_of-the-smoke-test';
const deploySpeed = 2_000;

type Service = 'autoscaling' | 'lambda' | 'monitoring' | 'secretsmanager' | 's3';

describe('the functions as they are packaged, each in a process of its own', () => {
  const clock = new ScaledClock({ speed: deploySpeed });
  const world = new World({ clock });
  const codeHost = new CodeHost(world.engine, { org: 'example-org' });
  const served: Served[] = [];

  const call = async (service: Service, operation: string, input: object) =>
    (await world.aws.call(service, operation, input, { credentials: world.aws.iam.rootCredentials })) as never;

  /** While the world runs fast nothing is invoked: a process needs its real time. */
  function hurry(speed: number): void {
    world.aws.lambda.inject(
      () => true,
      () => async () => {},
    );
    clock.setSpeed(speed);
  }

  function runProcesses(): void {
    clock.setSpeed(1);
    world.aws.lambda.runWith(() => true, loadIntoProcess({ endpointUrl: served[0]!.url }));
  }

  beforeAll(async () => {
    codeHost.credentials.addToken(platformToken, { account: 'user ID 1', org: 'example-org', mayManageRunners: true });
    const [aws, platform] = [await serveAws(world), await serveCodeHost(codeHost)];
    served.push(aws, platform);
    world.machines.onBoot(
      () => true,
      async () => 0,
    );
    hurry(deploySpeed);
    await call('secretsmanager', 'CreateSecret', { Name: platformTokenSecret, SecretString: platformToken });
    const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-packaged-')), {
      groupName: 'runners',
      asgMinSize: 0,
      asgMaxSize: 1,
      warmPoolMaxSize: 0,
      platformApi: platform.apiUrl,
    });
    await deployCloudAssembly(world, assembly);
    runProcesses();
  });

  afterAll(async () => {
    world.aws.lambda.stop();
    for (const server of served) await server.close();
  });

  async function invoke(suffix: FunctionSuffix, event: object): Promise<string> {
    const FunctionName = functionName('runners', suffix);
    const Payload = Buffer.from(JSON.stringify(event));
    const answer: { FunctionError?: string; Payload: Uint8Array } = await call('lambda', 'Invoke', {
      FunctionName,
      Payload,
    });
    return `${answer.FunctionError ?? 'ok'} ${Buffer.from(answer.Payload).toString()}`;
  }

  const members = () => [...(world.aws.autoscaling.scaler.groups.get('runners')?.members.values() ?? [])];

  /** Lets the world run fast until its one instance is in a state. */
  async function untilState(state: string): Promise<string> {
    hurry(60);
    while (!members().some((member) => member.state === state)) await new Promise((done) => setTimeout(done, 20));
    runProcesses();
    return members()[0]!.instanceId;
  }

  it('record_metric counts, publishes and remembers', async () => {
    expect(await invoke('record_metric', {})).toBe('ok null');
    const { Metrics }: { Metrics: { MetricName: string }[] } = await call('monitoring', 'ListMetrics', {
      Namespace: 'Drover/ActionsRunner',
    });

    expect(Metrics.map(({ MetricName }) => MetricName)).toContain('IdleRunnersCount');
    const written = world.engine.journal.entries.filter(({ name }) => name === 'PutObject');
    expect(written.map(({ subject }) => subject?.split('/').at(-1))).toEqual(['fleet-memory.json']);
  });

  it('registration gets a token for an instance that waits, deregistration lets it go', async () => {
    await call('autoscaling', 'SetDesiredCapacity', { AutoScalingGroupName: 'runners', DesiredCapacity: 1 });
    const instanceId = await untilState('Pending:Wait');
    const secrets = async () => {
      const { SecretList }: { SecretList: { Name: string }[] } = await call('secretsmanager', 'ListSecrets', {});
      return SecretList.map(({ Name }) => Name).sort();
    };

    expect(await invoke('registration', { detail: { EC2InstanceId: instanceId, Origin: 'EC2' } })).toBe('ok null');
    expect(await secrets()).toEqual([`actions-runner/runners/${instanceId}`, platformTokenSecret]);

    await call('autoscaling', 'TerminateInstanceInAutoScalingGroup', {
      InstanceId: instanceId,
      ShouldDecrementDesiredCapacity: true,
    });
    await untilState('Terminating:Wait');
    expect(await invoke('deregistration', { detail: { EC2InstanceId: instanceId } })).toBe('ok null');
    expect(await secrets()).toEqual([platformTokenSecret]);
    expect(members().map(({ state }) => state)).not.toContain('Terminating:Wait');
  });

  it('say in their logs what they did, and show no secret', () => {
    const lines = world.aws.lambda.names.flatMap((name) =>
      world.aws.logs.lines(`/aws/lambda/${name}`).map(({ message }) => message),
    );

    expect(lines.join('\n')).toMatch(/"message":"metric"/);
    expect(lines.join('\n')).not.toContain(platformToken);
  });
});
