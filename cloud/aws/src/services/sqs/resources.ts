import { freeName } from '../../account/errors.ts';
import { withModelledProperties } from '../../account/modelled.ts';
import type { ResourceProperties, ResourceProviders } from '../../account/service.ts';
import type { Queue } from './model.ts';
import type { Queues } from './state.ts';

/** Properties of `AWS::SQS::Queue` that are attributes of the queue. */
const attributeNames = [
  'DelaySeconds',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'VisibilityTimeout',
  'RedrivePolicy',
  'RedriveAllowPolicy',
  'KmsMasterKeyId',
  'KmsDataKeyReusePeriodSeconds',
  'SqsManagedSseEnabled',
  'FifoQueue',
];

/** What each type's provider reads; anything else is refused. */
const modelledProperties = {
  'AWS::SQS::Queue': [...attributeNames, 'QueueName', 'Tags'],
};

/** The resource types of SQS that templates may use. */
export const sqsResources = (queues: Queues): ResourceProviders => {
  const state = (queue: Queue) => ({
    physicalId: queue.url,
    attributes: { Arn: queue.arn, QueueName: queue.name, QueueUrl: queue.url },
  });
  const providers: ResourceProviders = {
    'AWS::SQS::Queue': {
      create: ({ type, properties, generateName }) => {
        const name = properties.QueueName ?? generateName(80);
        freeName(type, name, queues.all.has(name));
        return state(queues.create(name, attributesIn(properties), tagsIn(properties)));
      },
      update: ({ physicalId, properties }) => {
        const queue = queues.byUrl(physicalId);
        for (const name of attributeNames) if (properties[name] === undefined) queue.attributes.delete(name);
        queues.configure(queue, attributesIn(properties));
        queue.tags = tagsIn(properties);
        return state(queue);
      },
      delete: ({ physicalId }) => void queues.all.delete(physicalId.split('/').at(-1) ?? ''),
    },
  };
  return withModelledProperties(providers, modelledProperties);
};

const attributesIn = (properties: ResourceProperties): Record<string, string> =>
  Object.fromEntries(
    attributeNames
      .filter((name) => properties[name] !== undefined)
      .map((name) => [
        name,
        typeof properties[name] === 'object' ? JSON.stringify(properties[name]) : String(properties[name]),
      ]),
  );

const tagsIn = (properties: ResourceProperties): Record<string, string> =>
  Object.fromEntries(
    ((properties.Tags ?? []) as { Key: string; Value: string }[]).map(({ Key, Value }) => [Key, Value]),
  );
