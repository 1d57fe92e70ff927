import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { clientIn, during, injected, invoke, role, testWorld } from './function-world.test-support.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('a run', () => {
  it('a run is ended by its timeout, at 900 seconds at the latest', async () => {
    const test = testWorld();
    await injected(test, 'slow', (environment) => () => environment.clock.sleep(hour), { Timeout: 900 });
    const startedAt = test.clock.now();

    const { payload, FunctionError } = await invoke(test, 'slow');

    expect(FunctionError).toBe('Unhandled');
    expect(payload).toMatchObject({
      errorType: 'Sandbox.Timedout',
      errorMessage: expect.stringContaining('Task timed out after 900.00 seconds'),
    });
    expect(Math.floor((test.clock.now() - startedAt) / 1_000)).toBe(900);
    expect(test.world.aws.logs.lines('/aws/lambda/slow').map(({ message }) => message)).toContainEqual(
      expect.stringContaining('Task timed out after 900.00 seconds'),
    );
    const longer = test.aws.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: 'slow', Timeout: 901 }));
    await expect(longer).rejects.toMatchObject({ name: 'InvalidParameterValueException' });
  });

  it('reuses a warm environment, one invocation at a time, and starts others beside it', async () => {
    const test = testWorld();
    let environments = 0;
    await injected(test, 'fn', (environment) => {
      const own = ++environments;
      let runs = 0;
      return async () => {
        runs += 1;
        await environment.clock.sleep(1_000);
        return { own, runs };
      };
    });

    const first = await invoke(test, 'fn');
    const second = await invoke(test, 'fn');
    const both = await during(test, Promise.all([invoke(test, 'fn'), invoke(test, 'fn')]));
    await test.clock.advance(20 * minute);
    const later = await invoke(test, 'fn');

    expect([first.payload, second.payload]).toEqual([
      { own: 1, runs: 1 },
      { own: 1, runs: 2 },
    ]);
    expect(both.map(({ payload }) => payload.own).sort()).toEqual([1, 2]);
    expect(later.payload).toEqual({ own: 3, runs: 1 });
  });

  it('freezes timers between invocations', async () => {
    const test = testWorld();
    const fired: number[] = [];
    await injected(test, 'fn', (environment) => () => {
      environment.clock.after(60_000, () => fired.push(test.clock.now()));
    });

    await invoke(test, 'fn');
    await test.clock.advance(5 * minute);
    expect(fired).toEqual([]);
    await invoke(test, 'fn');

    expect(fired).toHaveLength(1);
  });

  it('ends with Runtime.ExitError when a fault kills it at a call, and the next one starts afresh', async () => {
    const test = testWorld();
    let started = 0;
    await injected(test, 'fn', (environment) => {
      started += 1;
      return async () => {
        await clientIn(test, environment).send(new GetFunctionConfigurationCommand({ FunctionName: 'fn' }));
        return 'done';
      };
    });
    test.world.engine.faults.add({
      service: 'lambda',
      operation: 'GetFunctionConfiguration',
      times: 1,
      effect: { kind: 'kill', phase: 'after' },
    });

    expect((await invoke(test, 'fn')).payload).toMatchObject({ errorType: 'Runtime.ExitError' });
    expect((await invoke(test, 'fn')).payload).toBe('done');
    expect(started).toBe(2);
  });

  it('a run is throttled when all places of the account are taken', async () => {
    const test = testWorld();
    test.world.aws.lambda.concurrency.limit = 2;
    await injected(test, 'fn', (environment) => () => environment.clock.sleep(10_000), { Timeout: 60 });

    const runs = [1, 2, 3].map(() => test.aws.lambda.send(new InvokeCommand({ FunctionName: 'fn' })));
    const ends = await during(test, Promise.allSettled(runs));

    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect((ends[2] as PromiseRejectedResult).reason).toMatchObject({
      name: 'TooManyRequestsException',
      $metadata: { httpStatusCode: 429 },
    });
  });

  it('writes no logs when its role may not', async () => {
    const test = testWorld();
    const Role = await role(test, 'silent', 'lambda.amazonaws.com', []);
    await injected(test, 'fn', (environment) => () => environment.log('hello'), { Role });

    await invoke(test, 'fn');

    expect(test.world.aws.logs.lines('/aws/lambda/fn')).toEqual([]);
  });

  it('logs to the group of its configuration, as JSON when that is wanted', async () => {
    const test = testWorld();
    await injected(test, 'fn', (environment) => () => environment.log('hello'), {
      LoggingConfig: { LogGroup: 'mine', LogFormat: 'JSON' },
    });

    await invoke(test, 'fn');

    const lines = test.world.aws.logs.lines('mine').map(({ message }) => JSON.parse(message));
    expect(lines.map(({ type, message }) => type ?? message)).toEqual([
      'platform.start',
      'hello',
      'platform.runtimeDone',
      'platform.report',
    ]);
  });
});

describe('a function', () => {
  it('a function cannot be invoked before it is active', async () => {
    const test = testWorld();
    const made = injected(test, 'fn', () => () => 'ok');
    await test.clock.settle();

    await expect(test.aws.lambda.send(new InvokeCommand({ FunctionName: 'fn' }))).rejects.toMatchObject({
      name: 'ResourceConflictException',
    });
    await made;
  });

  it('a function is refused when its role does not trust Lambda, or cannot make network interfaces in a VPC', async () => {
    const test = testWorld();
    const foreign = await role(test, 'foreign', 'ec2.amazonaws.com', []);
    const plain = await role(test, 'plain', 'lambda.amazonaws.com', []);
    const VpcConfig = { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-1'] };

    await expect(injected(test, 'a', () => () => null, { Role: foreign })).rejects.toMatchObject({
      message: 'The role defined for the function cannot be assumed by Lambda.',
    });
    await expect(injected(test, 'b', () => () => null, { Role: plain, VpcConfig })).rejects.toMatchObject({
      message: 'The provided execution role does not have permissions to call CreateNetworkInterface on EC2',
    });
  });
});
