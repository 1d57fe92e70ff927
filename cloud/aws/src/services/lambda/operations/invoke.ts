import type { InvokeCommandInput } from '@aws-sdk/client-lambda';
import { AwsError } from '../../../account/errors.ts';
import type { Operation } from '../../../account/service.ts';
import type { AsyncQueue } from '../invocation/async-queue.ts';
import type { Answer, Invoker } from '../invocation/invoker.ts';
import { lineageOf } from '../invocation/lineage.ts';
import { latest } from '../model.ts';
import type { Functions } from '../state.ts';
import { onFunction } from './functions.ts';

/** (Developer Guide, "Lambda quotas": 6 MB synchronous, 1 MB asynchronous.) */
const syncLimitBytes = 6_291_456;
const asyncLimitBytes = 1_048_576;

/** Invoke, by the three invocation types. (API Reference, Invoke.) */
export function invokeOperation(
  functions: Functions,
  invoker: Invoker,
  queue: AsyncQueue,
): Operation<InvokeCommandInput> {
  return {
    permissions: (input) => [onFunction(functions, 'InvokeFunction', input.FunctionName)],
    async run(input, call) {
      const selected = functions.select(input.FunctionName, input.Qualifier);
      const payload = parsePayload(input);
      if (input.InvocationType === 'DryRun') return { StatusCode: 204 };
      const lineage = lineageOf(call.traceId);
      if (input.InvocationType === 'Event') {
        queue.add(selected.fn.arn, payload, lineage);
        return { StatusCode: 202 };
      }
      const answer = await invoker.run({ selected, payload, requestId: call.requestId, lineage });
      return describeAnswer(answer, input.LogType === 'Tail');
    },
  };
}

function parsePayload(input: InvokeCommandInput): unknown {
  const bytes = input.Payload === undefined ? new Uint8Array() : Buffer.from(input.Payload as Uint8Array);
  const limit = input.InvocationType === 'Event' ? asyncLimitBytes : syncLimitBytes;
  if (bytes.length > limit)
    throw new AwsError(
      'RequestTooLargeException',
      `${bytes.length} byte payload is too large for the ${input.InvocationType ?? 'RequestResponse'} invocation type (limit ${limit} bytes)`,
      413,
    );
  if (bytes.length === 0) return {};
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch (error) {
    throw new AwsError(
      'InvalidRequestContentException',
      `Could not parse request body into json: ${error instanceof Error ? error.message : error}`,
      400,
    );
  }
}

function describeAnswer({ outcome, tail }: Answer, withLog: boolean) {
  return {
    StatusCode: 200,
    ExecutedVersion: latest,
    ...(outcome.ok ? {} : { FunctionError: 'Unhandled' }),
    Payload: new TextEncoder().encode(JSON.stringify(outcome.ok ? outcome.payload : outcome.error)),
    ...(withLog ? { LogResult: Buffer.from(tail.join('\n').slice(-4_096)).toString('base64') } : {}),
  };
}
