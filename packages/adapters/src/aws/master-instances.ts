import type { Instance } from '@aws-sdk/client-ec2';
import { discoveryTags, groupNames } from '@drover/core/names/search-cluster';
import type { MasterInstances } from '@drover/search-cluster';
import type { ClusterAws } from './clients.ts';
import { call } from './errors.ts';
import { autoScalingSdk, ec2Sdk } from './sdk-modules.ts';

export interface ClusterTags {
  readonly clusterName: string;
  readonly environment: string;
}

const pageLimit = 20;

/** The masters as EC2 shows them: by tags, as discovery finds them. The group knows which of them are on their way out. */
export const masterInstances = (aws: ClusterAws, tags: ClusterTags): MasterInstances => ({
  visible: async () => {
    const leaving = await leavingMembers(aws, groupNames.master(tags.clusterName));
    const found = await running(aws, tags);
    return found.flatMap(({ InstanceId, PrivateDnsName }) => {
      const hostName = PrivateDnsName?.split('.')[0] ?? '';
      return InstanceId === undefined || hostName === '' || leaving.has(InstanceId)
        ? []
        : [{ instanceId: InstanceId, hostName }];
    });
  },
});

async function running(aws: ClusterAws, { clusterName, environment }: ClusterTags): Promise<readonly Instance[]> {
  const client = await aws.ec2();
  const { DescribeInstancesCommand } = await ec2Sdk();
  const filters = {
    [`tag:${discoveryTags.cluster}`]: [clusterName],
    [`tag:${discoveryTags.environment}`]: [environment],
    'tag:aws:autoscaling:groupName': [groupNames.master(clusterName)],
    'instance-state-name': ['pending', 'running'],
  };
  const Filters = Object.entries(filters).map(([Name, Values]) => ({ Name, Values }));
  const instances: Instance[] = [];
  let token: string | undefined;
  for (let page = 0; page < pageLimit; page++) {
    const input = { Filters, ...(token === undefined ? {} : { NextToken: token }) };
    const answer = await call('ec2:DescribeInstances', () => client.send(new DescribeInstancesCommand(input)));
    for (const { Instances = [] } of answer.Reservations ?? []) instances.push(...Instances);
    token = answer.NextToken;
    if (token === undefined) break;
  }
  return instances;
}

async function leavingMembers(aws: ClusterAws, groupName: string): Promise<ReadonlySet<string>> {
  const client = await aws.autoScaling();
  const { DescribeAutoScalingGroupsCommand } = await autoScalingSdk();
  const { AutoScalingGroups = [] } = await call('autoscaling:DescribeAutoScalingGroups', () =>
    client.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [groupName] })),
  );
  const members = AutoScalingGroups.flatMap(({ Instances = [] }) => Instances);
  return new Set(
    members
      .filter(({ LifecycleState }) => !/^(Pending|InService)/.test(LifecycleState ?? ''))
      .map((one) => one.InstanceId!),
  );
}
