import type { CreateLogStreamCommandInput, DescribeLogGroupsCommandInput } from '@aws-sdk/client-cloudwatch-logs';
import { pageOf } from '../../../account/paging.ts';
import type { Operations, Permission } from '../../../account/service.ts';
import { invalidParameter, type LogGroup } from '../model.ts';
import type { LogGroups } from '../state.ts';

/** IAM sees a group as `…:log-group:<name>:log-stream:<stream>`; the stream is empty for calls about the group. */
export const onGroup = (groups: LogGroups, action: string, group: string | undefined, stream = ''): Permission => ({
  action: `logs:${action}`,
  resource: `${groups.arnOf(group?.startsWith('arn:') ? (group.split(':')[6] ?? '') : (group ?? ''))}:log-stream:${stream}`,
});

export const badToken = () => invalidParameter('The specified nextToken is invalid.');
export const next = (token: string | undefined) => (token === undefined ? {} : { nextToken: token });

type Group = { logGroupName?: string | undefined };

/** Log groups and streams. */
export const groupOperations = (groups: LogGroups): Operations => {
  const ask = (action: string) => (input: Group & { logStreamName?: string | undefined }) => [
    onGroup(groups, action, input.logGroupName, input.logStreamName),
  ];
  return {
    DeleteLogGroup: {
      permissions: ask('DeleteLogGroup'),
      run: (input: Group) => {
        groups.all.delete(groups.get(input.logGroupName).name);
        return {};
      },
    },
    CreateLogStream: {
      permissions: ask('CreateLogStream'),
      run: (input: CreateLogStreamCommandInput) => {
        groups.createStream(groups.get(input.logGroupName), input.logStreamName ?? '');
        return {};
      },
    },
    DescribeLogGroups: {
      permissions: () => [onGroup(groups, 'DescribeLogGroups', '')],
      run: (input: DescribeLogGroupsCommandInput) => {
        if (input.logGroupNamePrefix !== undefined && input.logGroupNamePattern !== undefined)
          throw invalidParameter('LogGroup name prefix and LogGroup name pattern are mutually exclusive parameters.');
        const found = [...groups.all.values()]
          .filter(({ name }) => name.startsWith(input.logGroupNamePrefix ?? ''))
          .filter(({ name }) => name.includes(input.logGroupNamePattern ?? ''))
          .sort((a, b) => (a.name < b.name ? -1 : 1));
        const page = pageOf(found, input.nextToken, input.limit ?? 50, badToken);
        return { logGroups: page.items.map((group) => describeGroup(groups, group)), ...next(page.nextToken) };
      },
    },
  };
};

const describeGroup = (groups: LogGroups, group: LogGroup) => ({
  logGroupName: group.name,
  arn: `${groups.arnOf(group.name)}:*`,
  logGroupArn: groups.arnOf(group.name),
  creationTime: group.createdAt,
  storedBytes: group.storedBytes,
  logGroupClass: 'STANDARD',
  ...(group.retentionDays === undefined ? {} : { retentionInDays: group.retentionDays }),
  ...(group.kmsKeyId === undefined ? {} : { kmsKeyId: group.kmsKeyId }),
});
