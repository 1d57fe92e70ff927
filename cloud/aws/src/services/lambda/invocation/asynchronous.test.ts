import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import {
  InvokeCommand,
  PutFunctionConcurrencyCommand,
  PutFunctionEventInvokeConfigCommand,
} from '@aws-sdk/client-lambda';
import { CreateQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { clientIn, injected, invoke, type TestWorld, testWorld } from '../function-world.test-support.ts';

const minute = 60_000;
const hour = 60 * minute;

const send = ({ aws }: TestWorld, FunctionName: string, payload: unknown = {}) =>
  aws.lambda.send(
    new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload: Buffer.from(JSON.stringify(payload)) }),
  );

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
  it('[rule 12] asynchronous invocation is retried after one and two minutes, then goes to the failure destination', async () => {
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

  it('[rule 12] asynchronous invocation is retried for up to six hours while it is throttled, however often', async () => {
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
    faults.add({ service: 'lambda', operation: 'fn', nth: 1, effect: { kind: 'delayed', ms: 30_000 } });

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
      await clientIn(test, environment).send(new InvokeCommand(payload));
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
    const properties = {
      FunctionName: 'loop',
      Role: 'arn:aws:iam::123456789012:role/loop-role',
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile: 'exports.handler = async () => null' },
      RecursiveLoop: 'Allow',
    };
    test.world.aws.lambda.resources['AWS::Lambda::Function']!.update!({ physicalId: 'loop', properties } as never);
    await test.clock.advance(10_000);

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
        const call = clientIn(test, environment).send(new InvokeCommand({ FunctionName: 'deep' }));
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
