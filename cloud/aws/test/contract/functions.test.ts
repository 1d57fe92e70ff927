import { PutFunctionConcurrencyCommand, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { expect } from 'vitest';
import { contract } from './contract.ts';
import { createFunction, type FailureRecord } from './fixtures/function.ts';
import { createRecorder } from './fixtures/recorder.ts';
import { minutes, seconds } from './target.ts';

/** Invokes itself up to forty times, which only a cloud without loop detection lets it do. */
const selfInvoking = `
  const { InvokeCommand, LambdaClient } = require('@aws-sdk/client-lambda');
  exports.handler = async ({ hop }, { functionName }) => {
    console.log('hop-taken', hop);
    if (hop >= 40) return;
    const Payload = JSON.stringify({ hop: hop + 1 });
    await new LambdaClient({}).send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }));
  };
`;

// Naive: forty hops; in production, hops without end.
contract(
  '[rule 12] Lambda stops a function that invokes itself after about sixteen hops, and sends a record to its failure destination',
  { minutes: 5 },
  async (target) => {
    const looping = await createFunction(target, { code: selfInvoking });
    const failures = await createRecorder(target);
    await looping.onFailure(failures);

    await looping.invokeLater({ hop: 1 });

    const [failure] = await failures.atLeast<FailureRecord>(1);
    await target.pass(seconds(60));
    const hops = await looping.loggedAt('hop-taken');
    expect(hops.length).toBeGreaterThanOrEqual(14);
    expect(hops.length).toBeLessThanOrEqual(18);
    expect(failure?.requestPayload).toEqual({ hop: hops.length + 1 });
  },
);

// Naive: tries an event once, or all at once, or for ever.
contract(
  '[rule 12] Lambda retries a failed asynchronous event after one and two minutes, then sends it to the failure destination',
  { minutes: 6 },
  async (target) => {
    const code = `exports.handler = async () => { console.log('run-begins'); throw new Error('on purpose'); };`;
    const failing = await createFunction(target, { code });
    const failures = await createRecorder(target);
    await failing.onFailure(failures);

    await failing.invokeLater({ order: 7 });

    const [failure] = await failures.atLeast<FailureRecord>(1, minutes(10));
    expect(failure).toMatchObject({
      requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 3 },
      requestPayload: { order: 7 },
      responseContext: { functionError: 'Unhandled' },
      responsePayload: { errorMessage: 'on purpose' },
    });
    await target.until('all logs', async () => (await failing.loggedAt('run-begins')).length >= 3);
    const [first = 0, second = 0, third = 0, ...more] = await failing.loggedAt('run-begins');
    expect(more).toEqual([]);
    expect(second - first).toBeGreaterThan(seconds(50));
    expect(third - second).toBeGreaterThan(seconds(100));
  },
);

const sleeping = `
  exports.handler = async ({ name, sleepMs }) => {
    console.log('run-of', name);
    await new Promise((resolve) => setTimeout(resolve, sleepMs));
    console.log('end-of', name);
    return { name };
  };
`;

// Naive: lets a function run as long as it likes.
contract(
  '[rule 12] Lambda ends a function at its timeout, which cannot exceed 900 seconds',
  { minutes: 2 },
  async (target) => {
    const slow = await createFunction(target, { code: sleeping, timeoutSeconds: 2 });

    const answer = await slow.invoke({ name: 'long', sleepMs: 20_000 });

    expect(answer.error).toBe('Unhandled');
    expect(answer.payload.errorMessage).toContain('Task timed out after 2.00 seconds');
    const { lambda } = target.clients;
    const change = (Timeout: number) =>
      lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: slow.name, Timeout }));
    await expect(change(901)).rejects.toThrow('less than or equal to 900');
    await change(900);
  },
);

/** A function of which one may run at a time. Needs an account whose concurrency quota leaves room for a reservation. */
async function singleFunction(target: Parameters<typeof createFunction>[0]) {
  const single = await createFunction(target, { code: sleeping, timeoutSeconds: 300 });
  const input = { FunctionName: single.name, ReservedConcurrentExecutions: 1 };
  await target.clients.lambda.send(new PutFunctionConcurrencyCommand(input));
  return single;
}

// Naive: counts a throttle as one of three attempts and drops the event while the function is merely busy.
contract(
  '[rule 12] Lambda retries a throttled asynchronous event until the function can run',
  { minutes: 9 },
  async (target) => {
    const single = await singleFunction(target);
    await single.invokeLater({ name: 'first', sleepMs: minutes(4) });
    await target.until('the first run', async () => (await single.loggedAt('run-of first')).length === 1);

    await single.invokeLater({ name: 'second', sleepMs: 0 });

    const ran = async () => (await single.loggedAt('run-of second'))[0];
    const second = await target.until('the second run', ran, minutes(15));
    const [first = 0] = await single.loggedAt('run-of first');
    expect(second - first).toBeGreaterThan(minutes(4) - seconds(5));
  },
);

// Naive: keeps the event for ever, or forgets it without a word.
contract(
  '[rule 12] Lambda sends a throttled event to the failure destination when it exceeds its maximum age',
  { minutes: 7 },
  async (target) => {
    const single = await singleFunction(target);
    const failures = await createRecorder(target);
    await single.onFailure(failures, 60);
    await single.invokeLater({ name: 'first', sleepMs: minutes(4) });
    await target.until('the first run', async () => (await single.loggedAt('run-of first')).length === 1);

    await single.invokeLater({ name: 'second', sleepMs: 0 });

    const [failure] = await failures.atLeast<FailureRecord>(1, minutes(8));
    expect(failure).toMatchObject({
      requestContext: { condition: 'EventAgeExceeded' },
      requestPayload: { name: 'second' },
    });
    await target.until('the end of the first', async () => (await single.loggedAt('end-of first')).length === 1);
    expect(await single.loggedAt('run-of second')).toEqual([]);
  },
);
