import type {
  DescribeInstanceInformationCommandInput,
  ListCommandInvocationsCommandInput,
  ListCommandsCommandInput,
} from '@aws-sdk/client-ssm';
import { AwsError, notImplemented } from '../../../account/errors.ts';
import { pageOf } from '../../../account/paging.ts';
import type { Operations } from '../../../account/service.ts';
import type { Commands } from '../commands.ts';
import type { ManagedNode } from '../model.ts';
import { listedInvocation } from '../responses.ts';

const badToken = () => new AwsError('InvalidNextToken', 'The specified token is not valid.');
const next = (token: string | undefined) => (token === undefined ? {} : { NextToken: token });

/** Lists of commands, of their invocations and of managed nodes. */
export const listingOperations = (commands: Commands): Operations => ({
  ListCommandInvocations: {
    permissions: () => [{ action: 'ssm:ListCommandInvocations', resource: '*' }],
    run: (input: ListCommandInvocationsCommandInput) => {
      const all = commands
        .visible({ commandId: input.CommandId, instanceId: input.InstanceId })
        .map(({ command, invocation }) => listedInvocation(command, invocation, input.Details === true))
        .reverse();
      const page = pageOf(filtered(all, input.Filters), input.NextToken, input.MaxResults ?? 50, badToken);
      return { CommandInvocations: page.items, ...next(page.nextToken) };
    },
  },
  DescribeInstanceInformation: {
    permissions: () => [{ action: 'ssm:DescribeInstanceInformation', resource: '*' }],
    run: (input: DescribeInstanceInformationCommandInput) => describeNodes(commands, input),
  },
});

type Listed = { Status: string; DocumentName: string; RequestedDateTime: Date };

function filtered<T extends Listed>(all: readonly T[], filters: ListCommandsCommandInput['Filters']): readonly T[] {
  const unknown = filters?.find(({ key = '' }) => !/^(Status|DocumentName|InvokedAfter|InvokedBefore)$/.test(key));
  if (unknown !== undefined) throw notImplemented('ssm', `the filter ${unknown.key} of command lists`);
  return all.filter((item) => (filters ?? []).every((filter) => passes(item, filter.key ?? '', filter.value ?? '')));
}

function passes(item: Listed, key: string, value: string): boolean {
  if (key === 'Status') return item.Status === value;
  if (key === 'DocumentName') return item.DocumentName === value;
  if (key === 'InvokedAfter') return item.RequestedDateTime.getTime() > Date.parse(value);
  return item.RequestedDateTime.getTime() < Date.parse(value);
}

/** "The default value is 10 items." (API Reference, DescribeInstanceInformation.) */
const nodesPerPage = 10;

function describeNodes(commands: Commands, input: DescribeInstanceInformationCommandInput) {
  const wanted = [
    ...(input.Filters ?? []).map(({ Key, Values }) => ({ key: Key ?? '', values: Values ?? [] })),
    ...(input.InstanceInformationFilterList ?? []).map((f) => ({ key: f.key ?? '', values: f.valueSet ?? [] })),
  ];
  const unknown = wanted.find(({ key }) => !/^(InstanceIds|PingStatus|tag:.*)$/.test(key));
  if (unknown !== undefined) throw notImplemented('ssm', `the filter ${unknown.key} of DescribeInstanceInformation`);
  const all = commands.nodes
    .all()
    .map((node) => information(commands, node))
    .filter((node) => wanted.every((filter) => nodePasses(commands, node, filter)));
  const page = pageOf(all, input.NextToken, input.MaxResults ?? nodesPerPage, badToken);
  return { InstanceInformationList: page.items, ...next(page.nextToken) };
}

type NodeInformation = ReturnType<typeof information>;

function nodePasses(commands: Commands, node: NodeInformation, filter: { key: string; values: readonly string[] }) {
  if (filter.key === 'InstanceIds') return filter.values.includes(node.InstanceId);
  if (filter.key === 'PingStatus') return filter.values.includes(node.PingStatus);
  return filter.values.includes(commands.nodes.instance(node.InstanceId)?.tags[filter.key.slice(4)] ?? '');
}

function information(commands: Commands, node: ManagedNode) {
  const PingStatus = commands.nodes.ping(node);
  const instance = commands.nodes.instance(node.instanceId);
  return {
    InstanceId: node.instanceId,
    PingStatus,
    LastPingDateTime: new Date(node.lastSeenAt),
    RegistrationDate: new Date(node.registeredAt),
    ResourceType: 'EC2Instance',
    PlatformType: 'Linux',
    ...(instance === undefined ? {} : { IPAddress: instance.privateIp, ComputerName: instance.privateDnsName }),
  };
}
