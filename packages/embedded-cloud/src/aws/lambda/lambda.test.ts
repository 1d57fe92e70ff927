import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import {
  AddPermissionCommand,
  GetFunctionConfigurationCommand,
  GetPolicyCommand,
  InvokeCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  PutFunctionEventInvokeConfigCommand,
  PutFunctionRecursionConfigCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { CreateQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { requestHandlerOver } from '../wire/request-handler.ts';
import { during, injected, invoke, role, type TestWorld, testWorld } from './function-world.test-support.ts';
import type { FunctionEnvironment } from './lambda.ts';

const minute = 60_000;
const hour = 60 * minute;

const send = ({ aws }: TestWorld, FunctionName: string, payload: unknown = {}) =>
  aws.lambda.send(
    new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload: Buffer.from(JSON.stringify(payload)) }),
  );

/** The SDK as a function uses it, without an environment variable of this process. */
const clientIn = (environment: FunctionEnvironment) =>
  new LambdaClient({
    region: 'eu-west-1',
    credentials: {
      accessKeyId: environment.env.AWS_ACCESS_KEY_ID!,
      secretAccessKey: environment.env.AWS_SECRET_ACCESS_KEY!,
      sessionToken: environment.env.AWS_SESSION_TOKEN!,
    },
    maxAttempts: 1,
    requestHandler: requestHandlerOver(environment.http, { clock: environment.clock }),
  });

async function queue({ aws }: TestWorld, QueueName: string) {
  const { QueueUrl } = await aws.sqs.send(new CreateQueueCommand({ QueueName }));
  const received = async () => {
    const { Messages } = await aws.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    return (Messages ?? []).map(({ Body }) => JSON.parse(Body!));
  };
  return { arn: `arn:aws:sqs:eu-west-1:123456789012:${QueueName}`, received };
}

const sumOf = async ({ aws, clock }: TestWorld, MetricName: string, FunctionName: string) => {
  const { Datapoints } = await aws.cloudwatch.send(
    new GetMetricStatisticsCommand({
      Namespace: 'AWS/Lambda',
      MetricName,
      Dimensions: [{ Name: 'FunctionName', Value: FunctionName }],
      StartTime: new Date(clock.now() - 24 * hour),
      EndTime: new Date(clock.now() + minute),
      Period: 3_600,
      Statistics: ['Sum'],
    }),
  );
  return (Datapoints ?? []).reduce((sum, { Sum }) => sum + (Sum ?? 0), 0);
};

describe('asynchronous invocation', () => {
  it('[rule 12] is retried after one and two minutes, then goes to the failure destination', async () => {
    const test = testWorld();
    const failures = await queue(test, 'failures');
    const at: number[] = [];
    await injected(test, 'fn', () => () => {
      at.push(test.clock.now());
      throw new TypeError('broken');
    });
    await test.aws.lambda.send(
      new PutFunctionEventInvokeConfigCommand({
        FunctionName: 'fn',
        DestinationConfig: { OnFailure: { Destination: failures.arn } },
      }),
    );

    await send(test, 'fn', { n: 1 });
    await test.clock.advance(hour);

    expect(at).toHaveLength(3);
    expect(Math.round((at[1]! - at[0]!) / minute)).toBe(1);
    expect(Math.round((at[2]! - at[1]!) / minute)).toBe(2);
    expect(await failures.received()).toMatchObject([
      {
        requestPayload: { n: 1 },
        requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 3 },
        responseContext: { functionError: 'Unhandled' },
        responsePayload: { errorType: 'TypeError', errorMessage: 'broken' },
      },
    ]);
    expect(await sumOf(test, 'Errors', 'fn')).toBe(3);
  });

  it('[rule 12] is retried for up to six hours while it is throttled, however often', async () => {
    const test = testWorld();
    const failures = await queue(test, 'failures');
    const ran: unknown[] = [];
    await injected(
      test,
      'busy',
      (environment) => async (event) => {
        ran.push(event);
        await environment.clock.sleep(14 * minute);
      },
      { Timeout: 900 },
    );
    const configure = (MaximumEventAgeInSeconds?: number) =>
      test.aws.lambda.send(
        new PutFunctionEventInvokeConfigCommand({
          FunctionName: 'busy',
          MaximumEventAgeInSeconds,
          DestinationConfig: { OnFailure: { Destination: failures.arn } },
        }),
      );
    await configure();
    await test.aws.lambda.send(
      new PutFunctionConcurrencyCommand({ FunctionName: 'busy', ReservedConcurrentExecutions: 1 }),
    );

    for (let n = 0; n < 40; n++) await send(test, 'busy', n);
    await test.clock.advance(7 * hour);

    // One place and 14 minutes each: 25 fit into six hours, the others are dropped with their age as the reason.
    expect(ran.length).toBeGreaterThan(20);
    expect(ran.length).toBeLessThan(30);
    expect(new Set(ran).size).toBe(ran.length);
    expect(await failures.received()).toMatchObject([
      { requestContext: { condition: 'EventAgeExceeded' } },
      ...new Array(9).fill({}),
    ]);
    expect(await sumOf(test, 'Throttles', 'busy')).toBeGreaterThan(100);
  });

  it('drops events at once when the reserved concurrency is zero, into the dead-letter queue without the answer', async () => {
    const test = testWorld();
    const dead = await queue(test, 'dead');
    await injected(test, 'off', () => () => null, { DeadLetterConfig: { TargetArn: dead.arn } });
    await test.aws.lambda.send(
      new PutFunctionConcurrencyCommand({ FunctionName: 'off', ReservedConcurrentExecutions: 0 }),
    );

    await send(test, 'off', { n: 1 });
    await test.clock.advance(minute);

    expect(await dead.received()).toEqual([{ n: 1 }]);
  });

  it('[rule 9] may run twice, late or never when a fault says so', async () => {
    const test = testWorld();
    const ran: unknown[] = [];
    await injected(test, 'fn', () => (event) => void ran.push(event));
    const { faults } = test.world.engine;
    faults.add({ service: 'lambda', operation: 'fn', nth: 1, effect: { kind: 'duplicate' } });
    faults.add({ service: 'lambda', operation: 'fn', nth: 2, effect: { kind: 'lose' } });
    faults.add({ service: 'lambda', operation: 'fn', nth: 1, effect: { kind: 'late', ms: 30_000 } });

    for (const n of [1, 2, 3, 4]) await send(test, 'fn', n);
    await test.clock.advance(20_000);
    const early = [...ran].sort();
    await test.clock.advance(20_000);

    expect(early).toEqual([1, 1, 4]);
    expect([...ran].sort()).toEqual([1, 1, 2, 4]);
  });
});

describe('recursive loops', () => {
  const looping = (test: TestWorld, runs: number[]) =>
    injected(test, 'loop', (environment) => async () => {
      runs.push(test.clock.now());
      const payload = { FunctionName: 'loop', InvocationType: 'Event' as const, Payload: Buffer.from('{}') };
      await clientIn(environment).send(new InvokeCommand(payload));
    });

  it('[rule 12] stops a function that invokes itself after 16 runs', async () => {
    const test = testWorld();
    const runs: number[] = [];
    await looping(test, runs);

    await send(test, 'loop');
    await test.clock.advance(hour);

    expect(runs).toHaveLength(16);
    expect(await sumOf(test, 'RecursiveInvocationsDropped', 'loop')).toBe(1);
  });

  it('[rule 12] lets it go on when the function allows it', async () => {
    const test = testWorld();
    const runs: number[] = [];
    await looping(test, runs);
    await test.aws.lambda.send(new PutFunctionRecursionConfigCommand({ FunctionName: 'loop', RecursiveLoop: 'Allow' }));

    await send(test, 'loop');
    await test.clock.advance(5_000);

    expect(runs.length).toBeGreaterThan(30);
  });

  it('[rule 12] refuses the synchronous call that closes the loop', async () => {
    const test = testWorld();
    let refused: unknown;
    await injected(
      test,
      'deep',
      (environment) => async () => {
        const call = clientIn(environment).send(new InvokeCommand({ FunctionName: 'deep' }));
        await call.catch((error: unknown) => {
          refused = (error as Error).name;
        });
      },
      { Timeout: 900 },
    );

    await invoke(test, 'deep');

    expect(refused).toBe('RecursiveInvocationException');
  });
});

describe('a run', () => {
  it('is ended by its timeout, at 900 seconds at the latest', async () => {
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
        await clientIn(environment).send(new GetFunctionConfigurationCommand({ FunctionName: 'fn' }));
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

  it('is throttled when all places of the account are taken', async () => {
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
  it('cannot be invoked before it is active', async () => {
    const test = testWorld();
    const made = injected(test, 'fn', () => () => 'ok');
    await test.clock.settle();

    await expect(test.aws.lambda.send(new InvokeCommand({ FunctionName: 'fn' }))).rejects.toMatchObject({
      name: 'ResourceConflictException',
    });
    await made;
  });

  it('is refused when its role does not trust Lambda, or cannot make network interfaces in a VPC', async () => {
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

  it('shows its policy', async () => {
    const test = testWorld();
    const arn = await injected(test, 'fn', () => () => null);
    const add = () =>
      test.aws.lambda.send(
        new AddPermissionCommand({
          FunctionName: 'fn',
          StatementId: 'events',
          Action: 'lambda:InvokeFunction',
          Principal: 'events.amazonaws.com',
          SourceArn: 'arn:aws:events:eu-west-1:123456789012:rule/r',
        }),
      );

    await add();

    await expect(add()).rejects.toMatchObject({ name: 'ResourceConflictException' });
    const { Policy } = await test.aws.lambda.send(new GetPolicyCommand({ FunctionName: 'fn' }));
    expect(JSON.parse(Policy!).Statement).toEqual([
      {
        Sid: 'events',
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'lambda:InvokeFunction',
        Resource: arn,
        Condition: { ArnLike: { 'AWS:SourceArn': 'arn:aws:events:eu-west-1:123456789012:rule/r' } },
      },
    ]);
  });
});
