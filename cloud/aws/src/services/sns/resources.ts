import { freeName } from '../../account/errors.ts';
import type { ResourceProperties, ResourceProvider, ResourceProviders } from '../../account/service.ts';
import type { Topic } from './model.ts';
import type { Topics } from './state.ts';

/** The resource types of SNS that templates may use. */
export const snsResources = (topics: Topics): ResourceProviders => ({
  'AWS::SNS::Topic': topicResource(topics),
  'AWS::SNS::Subscription': subscriptionResource(topics),
  'AWS::SNS::TopicPolicy': policyResource(topics),
});

const attributeNames = ['DisplayName', 'KmsMasterKeyId', 'SignatureVersion', 'TracingConfig', 'FifoTopic'];

function topicResource(topics: Topics): ResourceProvider {
  const apply = (topic: Topic, properties: ResourceProperties) => {
    for (const name of attributeNames)
      if (properties[name] === undefined) topic.attributes.delete(name);
      else topic.attributes.set(name, String(properties[name]));
    topic.tags = tagsIn(properties);
    for (const { Protocol, Endpoint } of (properties.Subscription ?? []) as { Protocol: string; Endpoint: string }[])
      topics.subscribe(topic, Protocol, Endpoint);
    return { physicalId: topic.arn, attributes: { TopicArn: topic.arn, TopicName: topic.name } };
  };
  return {
    create: ({ type, properties, generateName }) => {
      const fifo: Record<string, string> = properties.FifoTopic === true ? { FifoTopic: 'true' } : {};
      const name = properties.TopicName ?? generateName(256);
      const taken = [...topics.all.values()].some((topic) => topic.name === name);
      return apply(topics.create(freeName(type, name, taken), fifo, {}), properties);
    },
    update: ({ physicalId, properties }) => apply(topics.get(physicalId), properties),
    delete: ({ physicalId }) => void topics.all.delete(physicalId),
  };
}

const tagsIn = (properties: ResourceProperties): Record<string, string> =>
  Object.fromEntries(
    ((properties.Tags ?? []) as { Key: string; Value: string }[]).map(({ Key, Value }) => [Key, Value]),
  );

const subscriptionResource = (topics: Topics): ResourceProvider => ({
  create({ properties }) {
    const { arn } = topics.subscribe(topics.get(properties.TopicArn), properties.Protocol, properties.Endpoint);
    return { physicalId: arn, attributes: { Arn: arn } };
  },
  delete({ physicalId, properties }) {
    topics.all.get(properties.TopicArn)?.subscriptions.delete(physicalId);
  },
});

function policyResource(topics: Topics): ResourceProvider {
  const put = (properties: ResourceProperties, id: string) => {
    for (const topic of properties.Topics as string[])
      topics.get(topic).attributes.set('Policy', JSON.stringify(properties.PolicyDocument));
    return { physicalId: id, attributes: { Id: id } };
  };
  return {
    create: ({ properties, generateName }) => put(properties, generateName()),
    update: ({ properties, physicalId }) => put(properties, physicalId),
    delete: ({ properties }) => {
      for (const topic of properties.Topics as string[]) topics.all.get(topic)?.attributes.delete('Policy');
    },
  };
}
