import { discoveryTags, groupNames, launchNoteTag } from '@drover/core/names/search-cluster';
import type { LaunchNotes, MasterInstances } from '@drover/search-cluster/ports';
import type { AwsCalls } from './calls/calls.ts';
import { describeInstances, membersOf } from './group-instances.ts';

export interface ClusterTags {
  readonly clusterName: string;
  readonly environment: string;
}

/** The masters as EC2 shows them: by tags, as discovery finds them. The group knows which of them are leaving it. */
export const masterInstances = (
  aws: Pick<AwsCalls, 'autoscaling' | 'ec2'>,
  { clusterName, environment, resourceName }: ClusterTags & { readonly resourceName: string },
): MasterInstances => ({
  visible: async () => {
    const group = groupNames.master(resourceName);
    const staying = /^(Pending|InService)/;
    const members = await membersOf(aws, [group]);
    const leaving = new Set(members.filter((one) => !staying.test(one.lifecycleState)).map((one) => one.instanceId));
    const found = await describeInstances(
      aws,
      Object.entries({
        [`tag:${discoveryTags.cluster}`]: [clusterName],
        [`tag:${discoveryTags.environment}`]: [environment],
        'tag:aws:autoscaling:groupName': [group],
        'instance-state-name': ['pending', 'running'],
      }).map(([Name, Values]) => ({ Name, Values })),
    );
    return found.flatMap(({ InstanceId, PrivateDnsName }) => {
      const hostName = PrivateDnsName?.split('.')[0] ?? '';
      return InstanceId === undefined || hostName === '' || leaving.has(InstanceId)
        ? []
        : [{ instanceId: InstanceId, hostName }];
    });
  },
});

/** Notes of a cluster's instances about their launch, as tags. */
export const launchNotes = (aws: Pick<AwsCalls, 'ec2'>, { clusterName, environment }: ClusterTags): LaunchNotes => ({
  notes: async () => {
    const found = await describeInstances(aws, [
      { Name: `tag:${discoveryTags.cluster}`, Values: [clusterName] },
      { Name: `tag:${discoveryTags.environment}`, Values: [environment] },
      { Name: 'tag-key', Values: [launchNoteTag] },
    ]);
    return found.map(({ InstanceId, Tags = [] }) => {
      const tag = (name: string) => Tags.find(({ Key }) => Key === name)?.Value ?? '';
      return { instanceId: InstanceId!, groupName: tag('aws:autoscaling:groupName'), note: tag(launchNoteTag) };
    });
  },
});
