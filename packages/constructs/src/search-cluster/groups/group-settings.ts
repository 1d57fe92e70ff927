import { furtherGroupName } from '@drover/core/names/node-groups';
import { groupNames, nodeRole } from '@drover/core/names/search-cluster';
import { checkInputs, InputError, type InputProblem, type NameOf } from '../../inputs/check-inputs.ts';
import { camelCase, oneOf, text, texts, wholeNumber } from '../../inputs/fields.ts';
import { instanceType } from '../../inputs/shapes.ts';
import type { SearchClusterInputs } from '../props.ts';
import type { NodeGroupProps } from './group-props.ts';

/** A group of nodes with every default filled in. */
export interface GroupSettings {
  /** `master`, `data`, or the key in `node_groups`. */
  readonly key: string;
  /** Of its Auto Scaling group. */
  readonly name: string;
  /** The fact `drover.role` of its nodes. */
  readonly role: string;
  /** Roles of Elasticsearch; undefined: those that the configuration gives masters and data nodes. */
  readonly roles: readonly string[] | undefined;
  readonly holdsData: boolean;
  readonly count: number;
  /** As many nodes as full disks may give it; `count` where it does not grow. */
  readonly maxCount: number;
  readonly instanceType: string;
  readonly volumeGiB: number;
}

/** The two groups of every cluster, and further ones. */
export type Groups = Readonly<Record<'master' | 'data', GroupSettings> & Record<string, GroupSettings>>;

/** The roles of a tier. Only the nodes that take new data also prepare it and run transforms. */
const rolesOfTier: Readonly<Record<NonNullable<NodeGroupProps['tier']>, readonly string[]>> = {
  content: ['data_content', 'ingest', 'remote_cluster_client', 'transform'],
  hot: ['data_content', 'data_hot', 'ingest', 'remote_cluster_client', 'transform'],
  warm: ['data_warm', 'remote_cluster_client'],
  cold: ['data_cold', 'remote_cluster_client'],
  frozen: ['data_frozen', 'remote_cluster_client'],
};

const dataRoles = ['data', 'data_content', 'data_hot', 'data_warm', 'data_cold', 'data_frozen'];
/** The disks of nodes with such a role say whether there is room. */
const growing = dataRoles.filter((role) => role !== 'data_frozen');
const otherRoles = ['ingest', 'ml', 'remote_cluster_client', 'transform'];

/** Every input of a group. */
export const nodeGroupFields = {
  tier: oneOf('content', 'hot', 'warm', 'cold', 'frozen'),
  roles: texts({ accepts: (role) => [...dataRoles, ...otherRoles].includes(role), allowed: 'roles of data nodes' }, 1),
  licence: oneOf('enterprise'),
  count: wholeNumber(0, 200),
  max_count: wholeNumber(1, 200),
  instance_type: text(instanceType),
  volume_size: wholeNumber(8, 16_384),
} as const;

/** Inputs of today for the groups that every cluster has, and what they are called in `node_groups`. */
const ownInputs = {
  master: { count: 'master_count', instance_type: 'instance_type_master', volume_size: 'master_volume_size' },
  data: { count: 'data_count', instance_type: 'instance_type_data', volume_size: 'data_volume_size' },
} as const;

interface UsualGroups {
  readonly resourceName: string;
  readonly arm: boolean;
  readonly inputs: Pick<
    SearchClusterInputs,
    | 'masterCount'
    | 'dataCount'
    | 'instanceTypeMaster'
    | 'instanceTypeData'
    | 'masterVolumeSize'
    | 'dataVolumeSize'
    | 'nodeGroups'
  >;
}

/** The groups by their keys, masters first, and what is wrong with them. */
export function groupsOf(
  { resourceName, arm, inputs }: UsualGroups,
  name: NameOf,
): { readonly nodes: Groups; readonly problems: readonly InputProblem[] } {
  const problems: InputProblem[] = [];
  const given = Object.fromEntries(
    Object.entries(inputs.nodeGroups ?? {}).map(([key, written]) => [key, check(key, written, name, problems)]),
  );
  const usualType = arm ? 'm7g.large' : 'm6i.large';
  const { master = {}, data = {}, ...further } = given;
  const masters = master.count ?? inputs.masterCount ?? 3;
  const dataNodes = data.count ?? inputs.dataCount ?? 3;
  const nodes: Groups = {
    master: {
      ...{ key: 'master', name: groupNames.master(resourceName), role: nodeRole('master') },
      ...{ roles: undefined, holdsData: false },
      ...{ count: masters, maxCount: masters },
      instanceType: master.instanceType ?? inputs.instanceTypeMaster ?? (arm ? 't4g.medium' : 't3a.medium'),
      volumeGiB: master.volumeSize ?? inputs.masterVolumeSize ?? 30,
    },
    data: {
      ...{ key: 'data', name: groupNames.data(resourceName), role: nodeRole('data') },
      ...{ roles: rolesIn(data), holdsData: true },
      ...{ count: dataNodes, maxCount: data.maxCount ?? dataNodes },
      instanceType: data.instanceType ?? inputs.instanceTypeData ?? usualType,
      volumeGiB: data.volumeSize ?? inputs.dataVolumeSize ?? 200,
    },
    ...Object.fromEntries(
      Object.entries(further).map(([key, group]) => [
        key,
        {
          ...{ key, name: furtherGroupName(resourceName, key), role: nodeRole(key) },
          ...{ roles: rolesIn(group), holdsData: true },
          ...{ count: group.count ?? 3, maxCount: group.maxCount ?? group.count ?? 3 },
          instanceType: group.instanceType ?? usualType,
          volumeGiB: group.volumeSize ?? 200,
        },
      ]),
    ),
  };
  // A group with a wrong input is not checked as a whole.
  const keys = Object.keys(given).filter((key) => problems.every((one) => !one.key.startsWith(prefixOf(key, name))));
  problems.push(
    ...twice(inputs, given, name),
    ...keys.flatMap((key) => wrongGroup(key, nodes[key]!, given[key]!, name)),
  );
  problems.push(...noPlaceForNew(nodes, name));
  return { nodes, problems };
}

const prefixOf = (key: string, name: NameOf) => `${name('node_groups')}.${key}.`;

const rolesIn = ({ tier, roles }: NodeGroupProps) => roles ?? (tier === undefined ? undefined : rolesOfTier[tier]);

function check(key: string, written: NodeGroupProps, name: NameOf, problems: InputProblem[]): NodeGroupProps {
  const prefix = prefixOf(key, name);
  const inGroup: NameOf = (field) => `${prefix}${name(field)}`;
  try {
    return checkInputs({ title: '', key: camelCase, name: inGroup }, nodeGroupFields, { ...written }) as NodeGroupProps;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const named = (found: string) => (found.startsWith(prefix) ? found : `${prefix}${found}`);
    problems.push(...error.problems.map(({ key: found, ...rest }) => ({ key: named(found), ...rest })));
    return {};
  }
}

/** The same value of a usual group in its own input and in the map. */
function twice(
  inputs: UsualGroups['inputs'],
  given: Readonly<Record<string, NodeGroupProps>>,
  name: NameOf,
): InputProblem[] {
  return Object.entries(ownInputs).flatMap(([key, fields]) =>
    Object.entries(fields).flatMap(([field, input]) => {
      const written = given[key]?.[camelCase(field) as keyof NodeGroupProps];
      if (written === undefined || inputs[camelCase(input) as keyof UsualGroups['inputs']] === undefined) return [];
      const problem = `${name('node_groups')}.${key}.${name(field)} gives it too`;
      return [{ key: name(input), problem, remedy: 'Give one of them' }];
    }),
  );
}

/** Of an Auto Scaling group (CreateAutoScalingGroup). */
const longestGroupName = 255;

function wrongGroup(key: string, group: GroupSettings, given: NodeGroupProps, name: NameOf): InputProblem[] {
  const of = `${name('node_groups')}.${key}`;
  const { roles } = group;
  if (key === 'master') return wrongMasters(of, group, given, name);
  const found: InputProblem[] = [];
  if (given.tier !== undefined && given.roles !== undefined)
    found.push({ key: of, problem: `it has ${name('tier')} and ${name('roles')}`, remedy: 'Give one of them' });
  if (roles === undefined && key !== 'data')
    found.push({ key: of, problem: 'it does not say what its nodes are for', remedy: `Give its ${name('tier')}` });
  if (roles !== undefined && !roles.some((role) => dataRoles.includes(role)))
    found.push({ key: of, problem: 'its nodes hold no data', remedy: `Give a role of ${dataRoles.join(', ')}` });
  if (roles?.includes('data_frozen') === true && given.licence === undefined)
    found.push({
      key: of,
      problem: 'frozen data are searchable snapshots, which need a licence',
      remedy: `Set its ${name('licence')}: enterprise if the cluster has one`,
    });
  if (group.maxCount < group.count)
    found.push({
      key: `${of}.${name('max_count')}`,
      problem: `${group.maxCount} is less than its ${name('count')} of ${group.count}`,
      remedy: 'Give as many or more',
    });
  if (given.maxCount !== undefined && roles !== undefined && !roles.some((role) => growing.includes(role)))
    found.push({
      key: `${of}.${name('max_count')}`,
      problem: 'disks of frozen data are caches, which are always full',
      remedy: `Leave it out, and give it the ${name('count')} that it needs`,
    });
  if (key === 'data' && group.count === 0)
    found.push({ key: of, problem: 'the address of the data nodes leads to it', remedy: 'Give it a node or more' });
  if (group.name.length > longestGroupName)
    found.push({ key: of, problem: `the group's name ${group.name} is too long`, remedy: 'Choose a shorter key' });
  return found;
}

/** There is one group of masters, and it has no other task. */
function wrongMasters(of: string, { count }: GroupSettings, given: NodeGroupProps, name: NameOf): InputProblem[] {
  const found: InputProblem[] = [];
  const forData = (['tier', 'roles', 'maxCount'] as const).filter((field) => given[field] !== undefined);
  if (forData.length > 0)
    found.push({
      key: of,
      problem: 'masters hold no data',
      remedy: `Leave out ${forData.map((field) => name(field === 'maxCount' ? 'max_count' : field)).join(', ')}`,
    });
  if (![1, 3, 5, 7].includes(count))
    found.push({ key: of, problem: `${count} masters have no clear majority`, remedy: 'Give 1, 3, 5 or 7' });
  return found;
}

/** Elasticsearch places new indices, its own among them, by the preference data_content ("Data tiers"). */
function noPlaceForNew(nodes: Groups, name: NameOf): InputProblem[] {
  const key = name('node_groups');
  const groups = Object.values(nodes).filter(({ holdsData, count }) => holdsData && count > 0);
  const holds = (role: string) => groups.some(({ roles }) => roles === undefined || roles.includes(role));
  if (holds('data') || holds('data_content')) return [];
  const problem = 'no group takes new indices and those of Elasticsearch itself';
  return [{ key, problem, remedy: `Give a group ${name('tier')}: hot or content` }];
}
