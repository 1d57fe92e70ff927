import { AwsError } from '../../account/errors.ts';

export interface QueuedMessage {
  readonly id: string;
  readonly body: string;
  readonly sentAt: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly sender: string;
  /** Not before this moment can it be received. */
  visibleAt: number;
  receiveCount: number;
  firstReceivedAt?: number;
  receipt?: string;
}

export interface Queue {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  readonly createdAt: number;
  modifiedAt: number;
  /** As the API names them. */
  readonly attributes: Map<string, string>;
  tags: Record<string, string>;
  /** Oldest first. */
  messages: QueuedMessage[];
  /** Long polls that wait for a message. */
  readonly waiting: Set<() => void>;
}

/** (API Reference, SetQueueAttributes: defaults and ranges.) */
export const attributeRanges: Readonly<Record<string, { preset: number; least: number; most: number }>> = {
  DelaySeconds: { preset: 0, least: 0, most: 900 },
  MaximumMessageSize: { preset: 1_048_576, least: 1_024, most: 1_048_576 },
  MessageRetentionPeriod: { preset: 345_600, least: 60, most: 1_209_600 },
  ReceiveMessageWaitTimeSeconds: { preset: 0, least: 0, most: 20 },
  VisibilityTimeout: { preset: 30, least: 0, most: 43_200 },
};

const textAttributes = [
  'Policy',
  'RedrivePolicy',
  'RedriveAllowPolicy',
  'KmsMasterKeyId',
  'KmsDataKeyReusePeriodSeconds',
  'SqsManagedSseEnabled',
];

export function validAttribute(name: string, value: string): void {
  const range = attributeRanges[name];
  if (name.startsWith('Fifo') || name === 'ContentBasedDeduplication')
    throw new AwsError('UnsupportedOperation', 'the embedded cloud does not model FIFO queues');
  if (range === undefined && !textAttributes.includes(name))
    throw new AwsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
  if (range !== undefined && !(Number(value) >= range.least && Number(value) <= range.most))
    throw new AwsError(
      'InvalidAttributeValue',
      `Invalid value for the parameter ${name}: ${value} (${range.least} to ${range.most}).`,
    );
}

export const noQueue = () =>
  new AwsError('QueueDoesNotExist', 'The specified queue does not exist for this wsdl version.');

export const numberOf = (queue: Queue, name: string): number =>
  Number(queue.attributes.get(name) ?? attributeRanges[name]!.preset);
