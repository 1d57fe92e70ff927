import {
  type AutoScalingGroup,
  DescribeAutoScalingGroupsCommand,
  DescribeInstanceRefreshesCommand,
  DescribeWarmPoolCommand,
  type Instance,
} from '@aws-sdk/client-auto-scaling';
import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
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

/** The groups with their instances and warm pools, and the newest refresh of each. */
export class GroupReadings {
  readonly #aws: OperatorClients;
  readonly #names: readonly string[];
  readonly #machines = new Map<string, MachineFacts>();
  readonly #refreshes = new Map<string, RefreshState | undefined>();
  #groups: readonly AutoScalingGroup[] = [];
  #pools = new Map<string, readonly Instance[]>();

  constructor(aws: OperatorClients, names: readonly string[]) {
    this.#aws = aws;
    this.#names = names;
  }

  get sources(): readonly Source[] {
    return [
      { what: 'groups and instances', everyMs: 5_000, read: () => this.#readGroups() },
      ...this.#names.map((name) => ({
        what: 'instance refreshes',
        everyMs: 30_000,
        read: () => this.#readRefresh(name),
      })),
    ];
  }

  group(name: string): AutoScalingGroup | undefined {
    return this.#groups.find(({ AutoScalingGroupName }) => AutoScalingGroupName === name);
  }

  /** Of the group and of its warm pool. */
  instances(name: string): readonly Instance[] {
    const members = this.group(name)?.Instances ?? [];
    const known = new Set(members.map(({ InstanceId }) => InstanceId));
    return [...members, ...(this.#pools.get(name) ?? []).filter(({ InstanceId }) => !known.has(InstanceId))];
  }

  machine(instanceId: string): MachineFacts | undefined {
    return this.#machines.get(instanceId);
  }

  refresh(name: string): RefreshState | undefined {
    return this.#refreshes.get(name);
  }

  /** Those that the groups use, in the order of their names. */
  get zones(): readonly string[] {
    return [...new Set(this.#groups.flatMap(({ AvailabilityZones = [] }) => AvailabilityZones))].sort();
  }

  async #readGroups(): Promise<void> {
    const input = { AutoScalingGroupNames: [...this.#names] };
    // Known pools first: an instance that leaves one between the two calls is then in both, and not in neither.
    const known = new Map<string, readonly Instance[]>();
    for (const name of this.#pools.keys()) known.set(name, await this.#readPool(name));
    const { AutoScalingGroups = [] } = await this.#aws.autoscaling.send(new DescribeAutoScalingGroupsCommand(input));
    const pools = new Map<string, readonly Instance[]>();
    for (const { AutoScalingGroupName: name = '', WarmPoolConfiguration } of AutoScalingGroups)
      if (WarmPoolConfiguration !== undefined) pools.set(name, known.get(name) ?? (await this.#readPool(name)));
    this.#groups = AutoScalingGroups;
    this.#pools = pools;
    await this.#readMachines();
  }

  async #readPool(AutoScalingGroupName: string): Promise<readonly Instance[]> {
    const members: Instance[] = [];
    let token: string | undefined;
    do {
      const input = { AutoScalingGroupName, ...(token === undefined ? {} : { NextToken: token }) };
      const { Instances = [], NextToken } = await this.#aws.autoscaling.send(new DescribeWarmPoolCommand(input));
      members.push(...Instances);
      token = NextToken;
    } while (token !== undefined);
    return members;
  }

  /** Only of those that are new: what is read of them never changes once it is there. */
  async #readMachines(): Promise<void> {
    const ids = this.#names.flatMap((name) => this.instances(name)).map(({ InstanceId = '' }) => InstanceId);
    const missing = ids.filter((id) => this.#machines.get(id)?.privateIp === undefined);
    for (const id of this.#machines.keys()) if (!ids.includes(id)) this.#machines.delete(id);
    for (let from = 0; from < missing.length; from += idsPerCall) {
      // By filter and not by id: an instance that has just gone would make the whole call fail.
      const Filters = [{ Name: 'instance-id', Values: missing.slice(from, from + idsPerCall) }];
      const { Reservations = [] } = await this.#aws.ec2.send(new DescribeInstancesCommand({ Filters }));
      for (const { InstanceId = '', InstanceLifecycle, PrivateIpAddress } of Reservations.flatMap(
        ({ Instances = [] }) => Instances,
      ))
        this.#machines.set(InstanceId, { spot: InstanceLifecycle === 'spot', privateIp: PrivateIpAddress });
    }
  }

  async #readRefresh(AutoScalingGroupName: string): Promise<void> {
    const { InstanceRefreshes } = await this.#aws.autoscaling.send(
      new DescribeInstanceRefreshesCommand({ AutoScalingGroupName, MaxRecords: 1 }),
    );
    const [newest] = InstanceRefreshes ?? [];
    this.#refreshes.set(
      AutoScalingGroupName,
      newest && {
        group: AutoScalingGroupName,
        status: newest.Status ?? '',
        percentageComplete: newest.PercentageComplete ?? 0,
      },
    );
  }
}
