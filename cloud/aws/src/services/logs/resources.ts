import { withModelledProperties } from '../../account/modelled.ts';
import type { ResourceProperties, ResourceProviders } from '../../account/service.ts';
import type { LogGroup } from './model.ts';
import { putFilter } from './operations/filters.ts';
import type { LogGroups } from './state.ts';

type Settings = Partial<Pick<LogGroup, 'retentionDays' | 'kmsKeyId' | 'tags'>>;

/** What each type's provider reads; anything else is refused. */
const modelledProperties = {
  'AWS::Logs::LogGroup': ['LogGroupName', 'RetentionInDays', 'KmsKeyId', 'Tags'],
  'AWS::Logs::LogStream': ['LogGroupName', 'LogStreamName'],
  'AWS::Logs::MetricFilter': ['LogGroupName', 'FilterName', 'FilterPattern', 'MetricTransformations'],
  'AWS::Logs::ResourcePolicy': ['PolicyName', 'PolicyDocument'],
};

/** The resource types of CloudWatch Logs that templates may use. */
export const logResources = (
  groups: LogGroups,
  policies: Map<string, string>,
  changed: () => void,
): ResourceProviders => {
  const groupState = (group: LogGroup) => ({
    physicalId: group.name,
    attributes: { Arn: `${groups.arnOf(group.name)}:*` },
  });
  const filterState = (name: string, properties: ResourceProperties) => {
    putFilter(groups, groups.get(properties.LogGroupName), filterInput(name, properties));
    return { physicalId: name };
  };
  const policyState = (name: string, properties: ResourceProperties) => {
    policies.set(name, properties.PolicyDocument);
    changed();
    return { physicalId: name };
  };
  const providers: ResourceProviders = {
    'AWS::Logs::LogGroup': {
      create: ({ properties, generateName }) =>
        groupState(groups.create(properties.LogGroupName ?? generateName(), settingsOf(properties))),
      update: ({ physicalId, properties }) => {
        const group = groups.get(physicalId);
        const { retentionDays, kmsKeyId, tags } = settingsOf(properties);
        groups.setRetention(group, retentionDays);
        group.kmsKeyId = kmsKeyId;
        group.tags = tags ?? {};
        return groupState(group);
      },
      delete: ({ physicalId }) => void groups.all.delete(physicalId),
    },
    'AWS::Logs::LogStream': {
      create: ({ properties, generateName }) => {
        const group = groups.get(properties.LogGroupName);
        return { physicalId: groups.createStream(group, properties.LogStreamName ?? generateName()).name };
      },
      delete: ({ physicalId, properties }) => void groups.all.get(properties.LogGroupName)?.streams.delete(physicalId),
    },
    'AWS::Logs::MetricFilter': {
      create: ({ properties, generateName }) => filterState(properties.FilterName ?? generateName(), properties),
      update: ({ physicalId, properties }) => filterState(physicalId, properties),
      delete: ({ physicalId, properties }) => void groups.all.get(properties.LogGroupName)?.filters.delete(physicalId),
    },
    'AWS::Logs::ResourcePolicy': {
      create: ({ properties }) => policyState(properties.PolicyName, properties),
      update: ({ physicalId, properties }) => policyState(physicalId, properties),
      delete: ({ physicalId }) => {
        policies.delete(physicalId);
        changed();
      },
    },
  };
  return withModelledProperties(providers, modelledProperties);
};

const settingsOf = (properties: ResourceProperties): Settings => ({
  retentionDays: properties.RetentionInDays === undefined ? undefined : Number(properties.RetentionInDays),
  kmsKeyId: properties.KmsKeyId,
  tags: Object.fromEntries(((properties.Tags ?? []) as { Key: string; Value: string }[]).map((t) => [t.Key, t.Value])),
});

const filterInput = (filterName: string, properties: ResourceProperties) => ({
  logGroupName: properties.LogGroupName,
  filterName,
  filterPattern: properties.FilterPattern,
  metricTransformations: ((properties.MetricTransformations ?? []) as ResourceProperties[]).map((given) => ({
    metricName: given.MetricName,
    metricNamespace: given.MetricNamespace,
    metricValue: String(given.MetricValue),
    ...(given.DefaultValue === undefined ? {} : { defaultValue: Number(given.DefaultValue) }),
    ...(given.Unit === undefined ? {} : { unit: given.Unit }),
    ...(given.Dimensions === undefined
      ? {}
      : {
          dimensions: Object.fromEntries(
            (given.Dimensions as { Key: string; Value: string }[]).map(({ Key, Value }) => [Key, Value]),
          ),
        }),
  })),
});
