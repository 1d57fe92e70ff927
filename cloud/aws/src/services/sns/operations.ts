import type {
  CreateTopicCommandInput,
  GetTopicAttributesCommandInput,
  ListSubscriptionsByTopicCommandInput,
  ListTopicsCommandInput,
  PublishCommandInput,
  SetSubscriptionAttributesCommandInput,
  SetTopicAttributesCommandInput,
  SubscribeCommandInput,
  UnsubscribeCommandInput,
} from '@aws-sdk/client-sns';
import { arn } from '../../account/arn.ts';
import { lineageOf } from '../../account/lineage.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { pageOf } from '../../account/paging.ts';
import type { Call, Operations, Permission } from '../../account/service.ts';
import { invalidParameter, type Subscription, type Topic } from './model.ts';
import type { Topics } from './state.ts';

type OnTopic = { TopicArn?: string | undefined };
const badToken = () => invalidParameter('NextToken');
const next = (token: string | undefined) => (token === undefined ? {} : { NextToken: token });
/** Bytes of a message. (API Reference, Publish.) */
const messageLimit = 262_144;

/** Topics, subscriptions, messages. */
export const snsOperations = (aws: AwsNeighbours, topics: Topics): Operations => {
  const ask = (action: string) => (input: OnTopic) => [{ action: `sns:${action}`, resource: input.TopicArn ?? '*' }];
  const askSubscription =
    (action: string) =>
    (input: { SubscriptionArn?: string | undefined }): Permission[] => [
      { action: `sns:${action}`, resource: (input.SubscriptionArn ?? '').split(':').slice(0, 6).join(':') },
    ];
  return {
    CreateTopic: {
      permissions: (input: CreateTopicCommandInput) => [
        { action: 'sns:CreateTopic', resource: arn(aws, 'sns', input.Name ?? '') },
      ],
      run: (input: CreateTopicCommandInput) => {
        const tags = Object.fromEntries((input.Tags ?? []).map(({ Key, Value }) => [Key ?? '', Value ?? '']));
        return { TopicArn: topics.create(input.Name ?? '', input.Attributes ?? {}, tags).arn };
      },
    },
    DeleteTopic: {
      permissions: ask('DeleteTopic'),
      run: (input: OnTopic) => {
        topics.all.delete(input.TopicArn ?? '');
        return {};
      },
    },
    ListTopics: {
      permissions: () => [{ action: 'sns:ListTopics', resource: '*' }],
      run: (input: ListTopicsCommandInput) => {
        const page = pageOf([...topics.all.keys()], input.NextToken, 100, badToken);
        return { Topics: page.items.map((TopicArn) => ({ TopicArn })), ...next(page.nextToken) };
      },
    },
    GetTopicAttributes: {
      permissions: ask('GetTopicAttributes'),
      run: (input: GetTopicAttributesCommandInput, call: Call) => ({
        Attributes: topicAttributes(topics.get(input.TopicArn), call.principal.accountId),
      }),
    },
    SetTopicAttributes: {
      permissions: ask('SetTopicAttributes'),
      run: (input: SetTopicAttributesCommandInput) => {
        topics.get(input.TopicArn).attributes.set(input.AttributeName ?? '', input.AttributeValue ?? '');
        return {};
      },
    },
    Subscribe: {
      permissions: ask('Subscribe'),
      run: (input: SubscribeCommandInput) => {
        const subscription = topics.subscribe(
          topics.get(input.TopicArn),
          input.Protocol ?? '',
          input.Endpoint ?? '',
          input.Attributes ?? {},
        );
        const shown = subscription.confirmed || input.ReturnSubscriptionArn === true;
        return { SubscriptionArn: shown ? subscription.arn : 'pending confirmation' };
      },
    },
    Unsubscribe: {
      permissions: askSubscription('Unsubscribe'),
      run: (input: UnsubscribeCommandInput) => {
        const { topicArn, arn: id } = topics.subscription(input.SubscriptionArn);
        topics.get(topicArn).subscriptions.delete(id);
        return {};
      },
    },
    SetSubscriptionAttributes: {
      permissions: askSubscription('SetSubscriptionAttributes'),
      run: (input: SetSubscriptionAttributesCommandInput) => {
        const { attributes } = topics.subscription(input.SubscriptionArn);
        attributes.set(input.AttributeName ?? '', input.AttributeValue ?? '');
        return {};
      },
    },
    GetSubscriptionAttributes: {
      permissions: askSubscription('GetSubscriptionAttributes'),
      run: (input: UnsubscribeCommandInput, call: Call) => {
        const subscription = topics.subscription(input.SubscriptionArn);
        return {
          Attributes: {
            ...Object.fromEntries(subscription.attributes),
            ...describeSubscription(subscription, call.principal.accountId),
            PendingConfirmation: String(!subscription.confirmed),
          },
        };
      },
    },
    ListSubscriptionsByTopic: {
      permissions: ask('ListSubscriptionsByTopic'),
      run: (input: ListSubscriptionsByTopicCommandInput, call: Call) => {
        const all = [...topics.get(input.TopicArn).subscriptions.values()];
        const page = pageOf(all, input.NextToken, 100, badToken);
        const shown = page.items.map((each) => describeSubscription(each, call.principal.accountId));
        return { Subscriptions: shown, ...next(page.nextToken) };
      },
    },
    Publish: {
      permissions: (input: PublishCommandInput) => [
        { action: 'sns:Publish', resource: input.TopicArn ?? input.TargetArn ?? '*' },
      ],
      run: (input: PublishCommandInput, call: Call) => publish(topics, input, call),
    },
  };
};

function publish(topics: Topics, input: PublishCommandInput, call: Call) {
  const topic = topics.get(input.TopicArn ?? input.TargetArn);
  const message = input.Message ?? '';
  if (message === '') throw invalidParameter('Empty message');
  if (Buffer.byteLength(message) > messageLimit) throw invalidParameter('Message too long');
  const MessageId = topics.publish(topic, {
    subject: input.Subject ?? '',
    message: input.MessageStructure === 'json' ? defaultOf(message) : message,
    attributes: (input.MessageAttributes ?? {}) as never,
    lineage: lineageOf(call.traceId),
  });
  return { MessageId };
}

function defaultOf(message: string): string {
  const parts = JSON.parse(message) as Readonly<Record<string, string>>;
  if (parts.default === undefined) throw invalidParameter('Message Structure - No default entry in JSON message body');
  return parts.default;
}

const topicAttributes = (topic: Topic, accountId: string) => {
  const all = [...topic.subscriptions.values()];
  return {
    ...Object.fromEntries(topic.attributes),
    TopicArn: topic.arn,
    Owner: accountId,
    SubscriptionsConfirmed: String(all.filter(({ confirmed }) => confirmed).length),
    SubscriptionsPending: String(all.filter(({ confirmed }) => !confirmed).length),
    SubscriptionsDeleted: '0',
  };
};

const describeSubscription = (subscription: Subscription, accountId: string) => ({
  SubscriptionArn: subscription.confirmed ? subscription.arn : 'PendingConfirmation',
  TopicArn: subscription.topicArn,
  Protocol: subscription.protocol,
  Endpoint: subscription.endpoint,
  Owner: accountId,
});
