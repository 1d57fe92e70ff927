import { createHash } from 'node:crypto';
import type {
  CreateQueueCommandInput,
  DeleteMessageCommandInput,
  GetQueueAttributesCommandInput,
  ListQueuesCommandInput,
  ReceiveMessageCommandInput,
  SendMessageCommandInput,
  SetQueueAttributesCommandInput,
} from '@aws-sdk/client-sqs';
import { AwsError } from '../../account/errors.ts';
import { pageOf } from '../../account/paging.ts';
import type { Call, Operations } from '../../account/service.ts';
import { attributeRanges, numberOf, type Queue, type QueuedMessage } from './model.ts';
import type { Queues } from './state.ts';

type ByUrl = { QueueUrl?: string | undefined };

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** Queues and messages. */
export const sqsOperations = (queues: Queues): Operations => {
  const ask = (action: string) => (input: ByUrl) => [
    { action: `sqs:${action}`, resource: queues.arnOf((input.QueueUrl ?? '').split('/').at(-1) ?? '') },
  ];
  const named = (action: string) => (input: { QueueName?: string | undefined }) => [
    { action: `sqs:${action}`, resource: queues.arnOf(input.QueueName ?? '') },
  ];
  return {
    CreateQueue: {
      permissions: named('CreateQueue'),
      run: (input: CreateQueueCommandInput) => ({
        QueueUrl: queues.create(input.QueueName ?? '', input.Attributes ?? {}, input.tags ?? {}).url,
      }),
    },
    ListQueues: {
      permissions: () => [{ action: 'sqs:ListQueues', resource: '*' }],
      run: (input: ListQueuesCommandInput) => {
        const urls = [...queues.all.values()]
          .filter(({ name }) => name.startsWith(input.QueueNamePrefix ?? ''))
          .map(({ url }) => url);
        const page = pageOf(
          urls,
          input.NextToken,
          input.MaxResults ?? 1_000,
          () => new AwsError('InvalidParameterValue', 'Invalid NextToken'),
        );
        return { QueueUrls: page.items, ...(page.nextToken === undefined ? {} : { NextToken: page.nextToken }) };
      },
    },
    DeleteQueue: {
      permissions: ask('DeleteQueue'),
      run: (input: ByUrl) => {
        queues.all.delete(queues.byUrl(input.QueueUrl).name);
        return {};
      },
    },
    GetQueueAttributes: {
      permissions: ask('GetQueueAttributes'),
      run: (input: GetQueueAttributesCommandInput) => ({
        Attributes: chosen(attributesOf(queues, queues.byUrl(input.QueueUrl)), input.AttributeNames ?? []),
      }),
    },
    SetQueueAttributes: {
      permissions: ask('SetQueueAttributes'),
      run: (input: SetQueueAttributesCommandInput) => {
        queues.configure(queues.byUrl(input.QueueUrl), input.Attributes ?? {});
        return {};
      },
    },
    SendMessage: {
      permissions: ask('SendMessage'),
      run: (input: SendMessageCommandInput, call: Call) => sent(queues, queues.byUrl(input.QueueUrl), input, call),
    },
    ReceiveMessage: {
      permissions: ask('ReceiveMessage'),
      run: (input: ReceiveMessageCommandInput) => receive(queues, input),
    },
    DeleteMessage: {
      permissions: ask('DeleteMessage'),
      run: (input: DeleteMessageCommandInput) => {
        remove(queues.byUrl(input.QueueUrl), input.ReceiptHandle);
        return {};
      },
    },
  };
};

function sent(
  queues: Queues,
  queue: Queue,
  input: Pick<SendMessageCommandInput, 'MessageBody' | 'DelaySeconds' | 'MessageAttributes'>,
  call: Call,
) {
  const options = { delaySeconds: input.DelaySeconds, attributes: input.MessageAttributes ?? {} };
  const message = queues.send(queue, input.MessageBody ?? '', call.principal.userId, options);
  return { MessageId: message.id, MD5OfMessageBody: md5(message.body) };
}

/** Long polling waits on the clock; short polling answers at once. */
async function receive(queues: Queues, input: ReceiveMessageCommandInput) {
  const queue = queues.byUrl(input.QueueUrl);
  const limit = input.MaxNumberOfMessages ?? 1;
  const visibility = input.VisibilityTimeout ?? numberOf(queue, 'VisibilityTimeout');
  const until = queues.now + (input.WaitTimeSeconds ?? numberOf(queue, 'ReceiveMessageWaitTimeSeconds')) * 1_000;
  let taken = queues.take(queue, limit, visibility);
  while (taken.length === 0 && queues.now < until) {
    await queues.arrival(queue, until - queues.now);
    taken = queues.take(queue, limit, visibility);
  }
  return taken.length === 0 ? {} : { Messages: taken.map((message) => describeMessage(message, input)) };
}

function describeMessage(message: QueuedMessage, input: ReceiveMessageCommandInput) {
  const system = {
    SenderId: message.sender,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
  };
  const names = [...(input.AttributeNames ?? []), ...(input.MessageSystemAttributeNames ?? [])];
  const wanted = input.MessageAttributeNames ?? [];
  const attributes = Object.entries(message.attributes).filter(
    ([name]) => wanted.includes(name) || wanted.includes('All'),
  );
  return {
    MessageId: message.id,
    ReceiptHandle: message.receipt,
    Body: message.body,
    MD5OfBody: md5(message.body),
    Attributes: chosen(system, names),
    ...(attributes.length === 0 ? {} : { MessageAttributes: Object.fromEntries(attributes) }),
  };
}

function remove(queue: Queue, receipt: string | undefined): void {
  queue.messages = queue.messages.filter((message) => message.receipt !== receipt);
}

const chosen = (all: Readonly<Record<string, string>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.includes('All') || names.includes(name)));

function attributesOf(queues: Queues, queue: Queue): Record<string, string> {
  const presets = Object.entries(attributeRanges).map(([name, { preset }]) => [name, String(preset)]);
  const visible = queue.messages.filter(({ visibleAt }) => visibleAt <= queues.now).length;
  const inFlight = queue.messages.filter(
    ({ visibleAt, receipt }) => visibleAt > queues.now && receipt !== undefined,
  ).length;
  return {
    ...Object.fromEntries(presets),
    ...Object.fromEntries(queue.attributes),
    QueueArn: queue.arn,
    CreatedTimestamp: String(Math.floor(queue.createdAt / 1_000)),
    LastModifiedTimestamp: String(Math.floor(queue.modifiedAt / 1_000)),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(queue.messages.length - visible - inFlight),
  };
}
