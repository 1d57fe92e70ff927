import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { LambdaFunction } from '../model.ts';
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

/** Sends the record of an asynchronous invocation to its destination. (Developer Guide, "Capturing records of Lambda asynchronous invocations".) */
export function sendToDestination(
  aws: AwsNeighbours,
  invoker: Invoker,
  fn: LambdaFunction,
  destination: string | undefined,
  event: QueuedEvent,
  condition: string,
  answer: Answer | undefined,
): void {
  if (destination === undefined) return;
  try {
    deliver(aws, fn, destination, event, record(aws, fn, event, condition, answer));
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

function deliver(
  aws: AwsNeighbours,
  fn: LambdaFunction,
  destination: string,
  event: QueuedEvent,
  document: InvocationRecord,
) {
  const text = JSON.stringify(document);
  if (destination.includes(':sqs:')) return aws.sqs.send(destination, text);
  if (destination.includes(':sns:')) return aws.sns.publish(destination, '', text);
  if (destination.includes(':lambda:'))
    return aws.lambda.invokeAsync(destination, document, { principal: fn.settings.role, lineage: event.lineage });
  const result = document.requestContext.condition === 'Success' ? 'Success' : 'Failure';
  aws.events.emit({
    source: 'lambda',
    detailType: `Lambda Function Invocation Result - ${result}`,
    detail: { ...document },
    resources: [destination, `${fn.arn}:$LATEST`],
  });
}

type InvocationRecord = ReturnType<typeof record>;

function record(
  aws: AwsNeighbours,
  fn: LambdaFunction,
  event: QueuedEvent,
  condition: string,
  answer: Answer | undefined,
) {
  return {
    version: '1.0',
    timestamp: new Date(aws.engine.clock.now()).toISOString(),
    requestContext: {
      requestId: event.requestId,
      functionArn: `${fn.arn}:$LATEST`,
      condition,
      approximateInvokeCount: event.runs,
    },
    requestPayload: event.payload,
    ...(answer === undefined ? {} : response(answer)),
  };
}

function response({ outcome, version }: Answer) {
  const error = outcome.ok ? {} : { functionError: 'Unhandled' };
  return {
    responseContext: { statusCode: 200, executedVersion: version, ...error },
    responsePayload: outcome.ok ? outcome.payload : outcome.error,
  };
}
