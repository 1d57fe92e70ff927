import type { AwsNeighbours } from '../../../account/neighbours.ts';
import { type LambdaFunction, latest } from '../model.ts';
import type { Answer, Invoker } from './invoker.ts';
import type { Lineage } from './lineage.ts';

/** An event that waits for its function. */
export interface QueuedEvent {
  readonly functionArn: string;
  readonly payload: unknown;
  readonly requestId: string;
  readonly lineage: Lineage;
  readonly queuedAt: number;
  /** Runs so far that ended with a function error. */
  runs: number;
  /** Refused starts in a row: throttles and system errors. */
  refusals: number;
}

/** Sends the record of a failed asynchronous invocation to the function's failure destination, a function. (Developer Guide, "Capturing records of Lambda asynchronous invocations".) */
export function sendToDestination(
  aws: AwsNeighbours,
  invoker: Invoker,
  fn: LambdaFunction,
  event: QueuedEvent,
  condition: string,
  answer: Answer | undefined,
): void {
  const destination = fn.eventInvokeConfig?.onFailure;
  if (destination === undefined) return;
  const document = {
    version: '1.0',
    timestamp: new Date(aws.engine.clock.now()).toISOString(),
    requestContext: {
      requestId: event.requestId,
      functionArn: `${fn.arn}:${latest}`,
      condition,
      approximateInvokeCount: event.runs,
    },
    requestPayload: event.payload,
    ...(answer === undefined ? {} : response(answer)),
  };
  try {
    aws.lambda.invokeAsync(destination, document, { principal: fn.settings.role, lineage: event.lineage });
  } catch (error) {
    invoker.measure(fn.name, 'DestinationDeliveryFailures', 1);
    aws.engine.journal.record({
      kind: 'event',
      source: 'aws.lambda',
      name: 'destination failed',
      subject: fn.name,
      detail: { destination, error: error instanceof Error ? error.name : String(error) },
    });
  }
}

function response({ outcome }: Answer) {
  const error = outcome.ok ? {} : { functionError: 'Unhandled' };
  return {
    responseContext: { statusCode: 200, executedVersion: latest, ...error },
    responsePayload: outcome.ok ? outcome.payload : outcome.error,
  };
}
