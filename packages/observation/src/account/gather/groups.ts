import {
  type AutoScalingGroup,
  DescribeInstanceRefreshesCommand,
  type Instance,
  paginateDescribeWarmPool,
} from '@aws-sdk/client-auto-scaling';
import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { isFallbackOf } from '@drover/adapters/aws';
import { fallbackGroupName } from '@drover/core/names/runner-fleet';
import { describeGroups } from '@drover/operator/groups';
import type { OperatorClients } from '@drover/operator/io';
import type { RefreshState } from '../../api.ts';
import type { Source } from '../rota.ts';

/** Facts about an instance that EC2 knows and Auto Scaling does not. */
export interface MachineFacts {
  readonly spot: boolean;
  readonly privateIp: string | undefined;
}

/** EC2 takes at most 200 values in a filter. */
const idsPerCall = 200;

/** A group as the fleet counts it: with its on-demand fallback. */
function withFallback(group: AutoScalingGroup, described: readonly AutoScalingGroup[]): AutoScalingGroup {
  const fallback = described.find((each) => isFallbackOf(each, group.AutoScalingGroupName ?? ''));
  if (fallback === undefined) return group;
  return {
    ...group,
    DesiredCapacity: (group.DesiredCapacity ?? 0) + (fallback.DesiredCapacity ?? 0),
    Instances: [...(group.Instances ?? []), ...(fallback.Instances ?? [])],
  };
}

/** The groups with their instances and warm pools, and the newest refresh of each. */
export function groupReadings(aws: OperatorClients, names: readonly string[]) {
  const machines = new Map<string, MachineFacts>();
  const refreshes = new Map<string, RefreshState | undefined>();
  let groups: readonly AutoScalingGroup[] = [];
  let pools = new Map<string, readonly Instance[]>();

  const groupNamed = (name: string) => groups.find(({ AutoScalingGroupName }) => AutoScalingGroupName === name);

  /** Of the group and of its warm pool. */
  function instances(name: string): readonly Instance[] {
    const members = groupNamed(name)?.Instances ?? [];
    const known = new Set(members.map(({ InstanceId }) => InstanceId));
    return [...members, ...(pools.get(name) ?? []).filter(({ InstanceId }) => !known.has(InstanceId))];
  }

  async function readGroups(): Promise<void> {
    // Known pools first: an instance that leaves one between the two calls is then in both, and not in neither.
    const known = new Map<string, readonly Instance[]>();
    for (const name of pools.keys()) known.set(name, await readPool(name));
    const described = await describeGroups(aws.autoscaling, ...names, ...names.map(fallbackGroupName));
    const read = described
      .filter(({ AutoScalingGroupName: name = '' }) => names.includes(name))
      .map((group) => withFallback(group, described));
    const found = new Map<string, readonly Instance[]>();
    for (const { AutoScalingGroupName: name = '', WarmPoolConfiguration } of read)
      if (WarmPoolConfiguration !== undefined) found.set(name, known.get(name) ?? (await readPool(name)));
    groups = read;
    pools = found;
    await readMachines();
  }

  async function readPool(AutoScalingGroupName: string): Promise<readonly Instance[]> {
    const members: Instance[] = [];
    const pages = paginateDescribeWarmPool({ client: aws.autoscaling }, { AutoScalingGroupName });
    for await (const { Instances = [] } of pages) members.push(...Instances);
    return members;
  }

  /** Only of those that are new: what is read of them never changes once it is there. */
  async function readMachines(): Promise<void> {
    const ids = names.flatMap(instances).map(({ InstanceId = '' }) => InstanceId);
    const missing = ids.filter((id) => machines.get(id)?.privateIp === undefined);
    for (const id of machines.keys()) if (!ids.includes(id)) machines.delete(id);
    for (let from = 0; from < missing.length; from += idsPerCall) {
      // By filter and not by id: an instance that has just gone would make the whole call fail.
      const Filters = [{ Name: 'instance-id', Values: missing.slice(from, from + idsPerCall) }];
      const { Reservations = [] } = await aws.ec2.send(new DescribeInstancesCommand({ Filters }));
      const found = Reservations.flatMap(({ Instances = [] }) => Instances);
      for (const { InstanceId = '', InstanceLifecycle, PrivateIpAddress } of found)
        machines.set(InstanceId, { spot: InstanceLifecycle === 'spot', privateIp: PrivateIpAddress });
    }
  }

  async function readRefresh(group: string): Promise<void> {
    const command = new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: group, MaxRecords: 1 });
    const [newest] = (await aws.autoscaling.send(command)).InstanceRefreshes ?? [];
    const { Status: status = '', PercentageComplete: percentageComplete = 0 } = newest ?? {};
    refreshes.set(group, newest && { group, status, percentageComplete });
  }

  const sources: readonly Source[] = [
    { what: 'groups and instances', everyMs: 5_000, read: readGroups },
    ...names.map((name) => ({ what: 'instance refreshes', everyMs: 30_000, read: () => readRefresh(name) })),
  ];
  return {
    sources,
    group: groupNamed,
    instances,
    machine: (instanceId: string) => machines.get(instanceId),
    refresh: (name: string) => refreshes.get(name),
    /** Those that the groups use, in the order of their names. */
    zones: () => [...new Set(groups.flatMap(({ AvailabilityZones = [] }) => AvailabilityZones))].sort(),
  };
}
