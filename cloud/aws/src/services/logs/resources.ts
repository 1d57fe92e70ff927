import type { ResourceProperties, ResourceProviders } from '../../account/service.ts';
import type { LogGroup } from './model.ts';
import type { LogGroups } from './state.ts';

type Settings = Partial<Pick<LogGroup, 'retentionDays' | 'kmsKeyId' | 'tags'>>;

/** The resource types of CloudWatch Logs that templates may use. */
export const logResources = (groups: LogGroups): ResourceProviders => {
  const groupState = (group: LogGroup) => ({
    physicalId: group.name,
    attributes: { Arn: `${groups.arnOf(group.name)}:*` },
  });
  return {
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
  };
};

const settingsOf = (properties: ResourceProperties): Settings => ({
  retentionDays: properties.RetentionInDays === undefined ? undefined : Number(properties.RetentionInDays),
  kmsKeyId: properties.KmsKeyId,
  tags: Object.fromEntries(((properties.Tags ?? []) as { Key: string; Value: string }[]).map((t) => [t.Key, t.Value])),
});
