import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import {
  InvokeCommand,
  PutFunctionConcurrencyCommand,
  PutFunctionEventInvokeConfigCommand,
} from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { clientIn, injected, invoke, type TestWorld, testWorld } from '../function-world.test-support.ts';

const minute = 60_000;
const hour = 60 * minute;

const send = ({ aws }: TestWorld, FunctionName: string, payload: unknown = {}) =>
  aws.lambda.send(
    new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload: Buffer.from(JSON.stringify(payload)) }),
  );

/** A function that receives the records of failed invocations. */
async function failureDestination(test: TestWorld) {
  const received: unknown[] = [];
  const arn = await injected(test, 'failures', () => (event) => void received.push(event));
  return { arn, received };
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
  it('[rule 12] asynchronous invocation is retried for up to six hours while it is throttled, however often', async () => {
    const test = testWorld();
    const failures = await failureDestination(test);
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
    expect(failures.received).toHaveLength(40 - ran.length);
    for (const failure of failures.received)
      expect(failure).toMatchObject({ requestContext: { condition: 'EventAgeExceeded' } });
    expect(await sumOf(test, 'Throttles', 'busy')).toBeGreaterThan(100);
  });

  it('an asynchronous event is dropped at once when the reserved concurrency is zero', async () => {
    const test = testWorld();
    const ran: unknown[] = [];
    await injected(test, 'off', () => (event) => void ran.push(event));
    await test.aws.lambda.send(
      new PutFunctionConcurrencyCommand({ FunctionName: 'off', ReservedConcurrentExecutions: 0 }),
    );

    await send(test, 'off', { n: 1 });
    await test.clock.advance(minute);

    expect(ran).toEqual([]);
    expect(await sumOf(test, 'AsyncEventsDropped', 'off')).toBe(1);
  });

  it('[rule 9] an asynchronous event runs its function twice, later or never when a fault says so', async () => {
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
