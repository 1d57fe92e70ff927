import type { DescribeInstanceInformationCommand, GetCommandInvocationCommand } from '@aws-sdk/client-ssm';
import type { AwsCalls, OperationsOf, ServiceCalls } from '../calls/calls.ts';
import { pages } from '../calls/pages.ts';

/** Systems Manager as an operator uses it: nothing of ours on an instance or in a function reads results of commands, or agents. */
export type OperatorSsm = AwsCalls['ssm'] &
  ServiceCalls<
    OperationsOf<{
      readonly GetCommandInvocation: typeof GetCommandInvocationCommand;
      readonly DescribeInstanceInformation: typeof DescribeInstanceInformationCommand;
    }>
  >;

/** A filter takes at most 100 values, a page holds at most 50 agents. */
const idsPerSearch = 100;
const agentsPerPage = 50;

/**
 * The state that Systems Manager reports for the agents of instances (`Online`, `ConnectionLost`, `Inactive`); one that
 * never registered is not among them.
 */
export async function remoteAgents(ssm: OperatorSsm, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const agents = new Map<string, string>();
  for (let from = 0; from < ids.length; from += idsPerSearch) {
    const Filters = [{ Key: 'InstanceIds', Values: ids.slice(from, from + idsPerSearch) }];
    const input = { Filters, MaxResults: agentsPerPage };
    const ask = (next: object) => ssm('DescribeInstanceInformation', { ...input, ...next });
    for await (const { InstanceInformationList = [] } of pages(ask, idsPerSearch))
      for (const { InstanceId = '', PingStatus = 'unknown' } of InstanceInformationList)
        agents.set(InstanceId, PingStatus);
  }
  return agents;
}
