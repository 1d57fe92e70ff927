import { groupNames } from './search-cluster.ts';

/** An Auto Scaling group of a cluster. */
export interface NodeGroup {
  readonly name: string;
  readonly holdsData: boolean;
}

/** The two groups that every cluster has. */
export const usualGroups = (resourceName: string): readonly NodeGroup[] => [
  { name: groupNames.master(resourceName), holdsData: false },
  { name: groupNames.data(resourceName), holdsData: true },
];

/** Of the resource name of a cluster and the key of a further group in the input `node_groups`. */
export const furtherGroupName = (name: string, key: string): string => `${name}-${key}`;

/** On the Auto Scaling group of a further group: the resource name of its cluster, and the roles of its nodes. */
export const nodeGroupTags = { of: 'drover:node-group-of', roles: 'drover:node-roles' } as const;

/** On the Auto Scaling group of the data nodes: up to how many GiB their volumes may grow by themselves. */
export const volumeMaxTag = 'drover:data-volume-max-gib';

/** A further group, by its tags. */
export const furtherGroup = (name: string, tags: Readonly<Record<string, string>>): NodeGroup => ({
  name,
  holdsData: /(^| )data(_|$| )/.test(tags[nodeGroupTags.roles] ?? ''),
});

/** `master`, `data`, or the key of a further group. */
export const kindOf = (resourceName: string, groupName: string): string =>
  groupName === groupNames.master(resourceName) ? 'master' : groupName.slice(resourceName.length + 1);

export const namesOf = (groups: readonly NodeGroup[]): readonly string[] => groups.map(({ name }) => name);

/** Of the groups that hold data. */
export const dataGroupsOf = (groups: readonly NodeGroup[]): readonly string[] =>
  namesOf(groups.filter(({ holdsData }) => holdsData));
