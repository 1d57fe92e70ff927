import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveAws } from '@drover/cloud-aws';
import { loadIntoProcess } from '@drover/cloud-aws/testing';
import type { Served } from '@drover/cloud-engine';
import { CodeHost, serveCodeHost } from '@drover/cloud-github';
import { deployCloudAssembly, World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import { type FunctionSuffix, functionName, functionSuffixes } from '@drover/core/names/runner-fleet';
import { platformTokenSecret } from '@drover/stage/fleet';
import { synthesiseFleet } from '@drover/stage/fleet-template';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const platformToken = 'ghp_of-the-smoke-test';
const minute = 60_000;
/** Deploying a fleet takes seconds, and minutes on a loaded machine: no time limit decides a test. */
const patienceMs = 600_000;

type Service = 'autoscaling' | 'events' | 'lambda' | 'monitoring' | 'secretsmanager' | 's3';

vi.setConfig({ testTimeout: patienceMs });

/**
 * The world's time stands still while a process works, so that the speed of this machine decides nothing: no hook runs out and
 * no schedule strikes because a process had to wait for its turn. The processes read the world's time from a file.
 */
describe('the functions as they are packaged, each in a process of its own', () => {
  const clock = new VirtualClock();
  const world = new World({ clock });
  const codeHost = new CodeHost(world.engine, { org: 'example-org' });
  const served: Served[] = [];
  const processes: string[] = [];

  async function drive<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const noted = work.finally(() => {
      settled = true;
    });
    noted.catch(() => {});
    await clock.runUntil(() => settled, 60 * minute);
    return await noted;
  }

  const call = async (service: Service, operation: string, input: object) =>
    (await drive(world.aws.call(service, operation, input, { credentials: world.rootCredentials }))) as never;

  function runInProcesses(endpointUrl: string): void {
    const folder = mkdtempSync(join(tmpdir(), 'drover-time-'));
    const [program, time] = [join(folder, 'time.cjs'), join(folder, 'now')];
    writeFileSync(
      program,
      `Date.now = () => Number(require('node:fs').readFileSync(${JSON.stringify(time)}, 'utf8'));`,
    );
    const tellTime = () => writeFileSync(time, String(clock.now()));
    tellTime();
    const load = loadIntoProcess({ endpointUrl, environment: { NODE_OPTIONS: `--require=${program}` } });
    world.operate.runFunctionsWith(
      () => true,
      (environment) => {
        processes.push(environment.functionName);
        const { invoke, stop } = load(environment);
        return {
          invoke: (event, context) => {
            tellTime();
            return clock.hold(Promise.resolve(invoke(event, context)));
          },
          ...(stop === undefined ? {} : { stop }),
        };
      },
    );
  }

  beforeAll(async () => {
    codeHost.credentials.addToken(platformToken, { account: 'user ID 1', org: 'example-org', mayManageRunners: true });
    const [aws, platform] = [await serveAws(world), await serveCodeHost(codeHost)];
    served.push(aws, platform);
    world.machines.onBoot(
      () => true,
      async () => 0,
    );
    runInProcesses(aws.url);
    await call('secretsmanager', 'CreateSecret', { Name: platformTokenSecret, SecretString: platformToken });
    const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-packaged-')), {
      groupName: 'runners',
      asgMinSize: 0,
      asgMaxSize: 1,
      warmPoolMaxSize: 0,
      platformApi: platform.apiUrl,
    });
    await drive(deployCloudAssembly(world, assembly));
  }, patienceMs);

  afterAll(async () => {
    world.operate.stopFunctions();
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

  const members = () => [...(world.observe.group('runners')?.members.values() ?? [])];

  async function until(what: string, holds: () => boolean): Promise<void> {
    expect(await clock.runUntil(holds, 30 * minute), `within 30 minutes: ${what}`).toBe(true);
  }

  const secrets = () => world.observe.secretNames().toSorted();

  it.each(functionSuffixes)('%s responds to an invocation', async (suffix) => {
    expect(await invoke(suffix, {})).toBe('ok null');
    expect(processes).toContain(functionName('runners', suffix));
  });

  it('record_metric publishes what it counted, and remembers', async () => {
    const { Metrics }: { Metrics: { MetricName: string }[] } = await call('monitoring', 'ListMetrics', {
      Namespace: 'Drover/ActionsRunner',
    });

    expect(Metrics.map(({ MetricName }) => MetricName)).toContain('IdleRunnersCount');
    const written = world.engine.journal.entries.filter(({ name }) => name === 'PutObject');
    expect(written.map(({ subject }) => subject?.split('/').at(-1))).toContain('fleet-memory.json');
  });

  it('registration gets a token for an instance that launches, deregistration lets it go', async () => {
    await call('autoscaling', 'SetDesiredCapacity', { AutoScalingGroupName: 'runners', DesiredCapacity: 1 });
    await until('an instance waits', () => members()[0]?.state === 'Pending:Wait');
    const { instanceId } = members()[0]!;
    expect(await invoke('registration', { detail: { EC2InstanceId: instanceId, Origin: 'EC2' } })).toBe('ok null');
    expect(secrets()).toEqual([`actions-runner/runners/${instanceId}`, platformTokenSecret]);

    await call('autoscaling', 'TerminateInstanceInAutoScalingGroup', {
      InstanceId: instanceId,
      ShouldDecrementDesiredCapacity: true,
    });
    await until('it leaves', () => members().length === 0);
    expect(secrets()).toEqual([platformTokenSecret]);
  });

  it('say in their logs what they did, without an error, and show no secret', () => {
    const log = world.observe
      .functionNames()
      .flatMap((name) => world.observe.logLines(`/aws/lambda/${name}`))
      .join('\n');

    expect(log).toMatch(/"message":"metric"/);
    expect(log).toMatch(/"message":"registration"/);
    expect(log).toMatch(/"message":"drain"/);
    expect(log).not.toMatch(/"level":"error"|Task timed out|ERROR/);
    expect(log).not.toContain(platformToken);
  });
});
