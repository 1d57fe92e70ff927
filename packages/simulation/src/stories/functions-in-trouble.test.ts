import { GetFunctionConcurrencyCommand, GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { functionName, functionSuffixes } from '@drover/core/names/runner-fleet';
import { describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const lifecycleLaunch = 'EC2 Instance-launch Lifecycle Action';

const states = (stage: CheckedFleetStage) => [...stage.group.members.values()].map(({ state }) => state).sort();

/** The configurations that an operator reads with `aws lambda get-function-configuration`. */
const configurations = (stage: CheckedFleetStage) =>
  Promise.all(
    functionSuffixes.map((suffix) => {
      const FunctionName = functionName('runners', suffix);
      return stage.fleet.drive(stage.aws.lambda.send(new GetFunctionConfigurationCommand({ FunctionName })), minute);
    }),
  );

describe('throttled functions', { timeout: 300_000 }, () => {
  it('raise an alarm named throttles…, have no concurrency of their own, and the fleet goes on by itself', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 3 });
    await stage.untilOnline(1);
    await stage.pass(3);
    const calm = (await stage.alarms('throttles')).map(({ AlarmName, StateValue }) => [AlarmName, StateValue]);
    const { operate } = stage.fleet.world;

    operate.limitConcurrency(0);
    await stage.setDesired(2);
    await stage.pass(5);
    // The fourth function is invoked by launches and every 15 minutes only.
    const struck = (await stage.alarms('throttles')).filter(({ AlarmName }) => !AlarmName?.endsWith('runner_version'));
    const pending = states(stage);
    operate.limitConcurrency(1_000);
    await stage.untilOnline(2);

    const names = ['throttles-runners_deregistration', 'throttles-runners_record_metric'];
    const all = [...names, 'throttles-runners_registration', 'throttles-runners_runner_version'];
    expect(calm).toEqual(all.map((name) => [name, 'OK']));
    expect(struck.map(({ StateValue }) => StateValue)).toEqual(['ALARM', 'ALARM', 'ALARM']);
    expect(struck.flatMap(({ AlarmActions = [] }) => AlarmActions)).toEqual(
      Array.from({ length: 3 }, () => expect.stringMatching(/^arn:aws:sns:/)),
    );
    expect(pending).toEqual(['InService', 'Pending:Wait']);
    for (const suffix of functionSuffixes) {
      const command = new GetFunctionConcurrencyCommand({ FunctionName: functionName('runners', suffix) });
      const answer = await stage.fleet.drive(stage.aws.lambda.send(command), minute);
      expect(answer.ReservedConcurrentExecutions).toBeUndefined();
    }
    expect(await stage.violationsAtRest()).toEqual([]);
    expect((await stage.alarms('throttles')).map(({ StateValue }) => StateValue)).toEqual(
      functionSuffixes.map(() => 'OK'),
    );
  });
});

describe('a slow platform API', { timeout: 300_000 }, () => {
  it('makes the function run into its Timeout, which the log and an alarm show, and the next passes finish the work', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 12 });
    await stage.untilOnline(1);
    // Each request stays below the limit of the client, but one pass has twenty of them.
    const untilMs = stage.fleet.clock.now() + 20 * minute;
    stage.fault({ service: 'events', operation: lifecycleLaunch, effect: { kind: 'lose' }, untilMs });
    const patient = { service: 'platform', operation: /(GET|POST) .*/, subject: 'runners_registration', untilMs };
    stage.fault({ ...patient, effect: { kind: 'slow', ms: 9_000 } });

    await stage.setDesired(12);
    await stage.pass(5);

    const timeouts = (await configurations(stage)).map(({ Timeout }) => Timeout);
    expect(timeouts).toEqual([60, 60, 60, 600]);
    expect(await stage.logOf('registration')).toContain(`Task timed out after ${timeouts[0]}.00 seconds`);
    // CloudWatch may read the period of the last minute only after the next one.
    const alarm = async () => (await stage.alarms('errors-runners_registration'))[0]?.StateValue;
    for (let left = 5; left > 0 && (await alarm()) !== 'ALARM'; left--) await stage.pass(1);
    expect(await alarm()).toBe('ALARM');
    await stage.untilOnline(12, 60);
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

describe('functions without a way out', { timeout: 300_000 }, () => {
  // With a minimum of 1 the stack itself would wait for an instance in service, and fail.
  const inputs = { asgMinSize: 0, asgMaxSize: 2 };

  it('cannot register, say that their subnets need NAT, keep the instance Pending, and go on once there is NAT', async () => {
    const stage = await CheckedFleetStage.open(inputs, {
      functionSubnets: 'isolated-with-endpoints',
      transport: 'sdk',
    });
    await stage.setDesired(1);
    await stage.pass(60);

    const [waiting] = stage.group.members.keys();
    expect(states(stage)).toEqual(['Pending:Wait']);
    expect(stage.checkers.watch.launches).toBe(1);
    expect(stage.fleet.codeHost.registry.runners).toEqual([]);
    const log = await stage.logOf('registration');
    expect(log).toContain('got no response from https://api.github.com');
    expect(log).toContain("the functions' subnets need a way out to https://api.github.com (NAT");
    stage.fleet.world.operate.routeThroughNat(
      (await configurations(stage)).flatMap(({ VpcConfig }) => VpcConfig?.SubnetIds ?? []),
    );
    await stage.fleet.until('it is online', () => stage.online.includes(waiting!), 60 * minute);
    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it('functions in a public subnet do not reach even AWS: each run ends by its timeout, and an alarm is on', async () => {
    const stage = await CheckedFleetStage.open(inputs, { functionSubnets: 'public', transport: 'sdk' });
    await stage.setDesired(1);
    await stage.pass(12);

    expect(stage.fleet.codeHost.registry.runners).toEqual([]);
    expect(states(stage)).toEqual(['Pending:Wait']);
    expect(await stage.logOf('registration')).toContain('Task timed out after 60.00 seconds');
    expect(await stage.alarms('errors-runners_registration')).toMatchObject([{ StateValue: 'ALARM' }]);
    const unreached = stage.fleet.world.engine.journal.entries.filter(({ name }) => name === 'no way out');
    expect(new Set(unreached.map(({ detail }) => detail?.host))).toContain('autoscaling.eu-west-1.amazonaws.com');
    expect(await stage.violationsNow()).toEqual([]);
  });
});

describe('credentials without the right', { timeout: 300_000 }, () => {
  it('a token without admin:org is rejected: the log says what to fix, an alarm is on, the instance stays Pending', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 3 });
    await stage.untilOnline(1);
    await stage.pass(3);
    stage.fleet.grantPlatformToken({ mayManageRunners: false });
    await stage.setDesired(2);
    await stage.pass(10);

    expect(states(stage)).toEqual(['InService', 'Pending:Wait']);
    const log = await stage.logOf('registration');
    expect(log).toContain('returned 403');
    expect(log).toMatch(/rejected \(\\*"Bad credentials\\*"\)/);
    expect(log).toContain('needs the scope admin:org');
    expect(await stage.alarms('registration_fails-runners')).toMatchObject([
      { MetricName: 'RegistrationFailures', StateReason: expect.stringContaining('Threshold Crossed') },
    ]);
    stage.fleet.grantPlatformToken();
    await stage.untilOnline(2, 60);
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});
