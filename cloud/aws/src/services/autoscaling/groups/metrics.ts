import { every } from '@drover/cloud-engine';
import { validationError } from '../errors.ts';
import { countsAsCapacity, isInPool, isPooled, type LifecycleState } from '../lifecycle-states.ts';
import type { Group } from '../model.ts';
import type { Scaler } from '../state.ts';
import { poolDesired } from '../warm-pool/warm-pool.ts';

type Measure = (group: Group, count: (matches: (state: LifecycleState) => boolean) => number) => number;

const pending = (state: LifecycleState) => state.startsWith('Pending');
const terminating = (state: LifecycleState) => state.startsWith('Terminating') && state !== 'Terminating:Retained';
const outsidePool = (state: LifecycleState) => !isInPool(state);
const instances = {
  InService: (state: LifecycleState) => state === 'InService',
  Pending: pending,
  Standby: () => false,
  Terminating: terminating,
  TerminatingRetained: (state: LifecycleState) => state === 'Terminating:Retained',
  Total: outsidePool,
};

/** Every group metric and what it measures: Amazon CloudWatch metrics for Amazon EC2 Auto Scaling. */
const groupMetrics: Readonly<Record<string, Measure>> = {
  GroupMinSize: (group) => group.minSize,
  GroupMaxSize: (group) => group.maxSize,
  GroupDesiredCapacity: (group) => group.desiredCapacity,
  ...Object.fromEntries(
    Object.entries(instances).flatMap(([name, matches]): [string, Measure][] => [
      [`Group${name}Instances`, (_, count) => count(matches)],
      [`Group${name}Capacity`, (_, count) => count(matches)],
    ]),
  ),
  WarmPoolMinSize: (group) => group.warmPool?.minSize ?? 0,
  WarmPoolDesiredCapacity: poolDesired,
  WarmPoolPendingCapacity: (_, count) =>
    count((state) => state.startsWith('Warmed:Pending') && state !== 'Warmed:Pending:Retained'),
  WarmPoolPendingRetainedCapacity: (_, count) => count((state) => state === 'Warmed:Pending:Retained'),
  WarmPoolTerminatingCapacity: (_, count) =>
    count((state) => state.startsWith('Warmed:Terminating') && state !== 'Warmed:Terminating:Retained'),
  WarmPoolTerminatingRetainedCapacity: (_, count) => count((state) => state === 'Warmed:Terminating:Retained'),
  WarmPoolWarmedCapacity: (_, count) => count(isPooled),
  WarmPoolTotalCapacity: (_, count) => count(isInPool),
  GroupAndWarmPoolDesiredCapacity: (group) => group.desiredCapacity + poolDesired(group),
  GroupAndWarmPoolTotalCapacity: (_, count) =>
    count((state) => isInPool(state) || countsAsCapacity(state) || outsidePool(state)),
};

/** Sends the metrics of all groups every minute, from the first group that has them enabled on. */
export class GroupMetrics {
  readonly #scaler: Scaler;
  #started = false;

  constructor(scaler: Scaler) {
    this.#scaler = scaler;
  }

  /** All metrics when none is named. */
  enable(group: Group, names: readonly string[] | undefined, granularity: string | undefined): void {
    if (granularity !== undefined && granularity !== '1Minute')
      throw validationError(`The granularity ${granularity} is not valid. The only valid value is 1Minute.`);
    for (const name of names?.length ? names : Object.keys(groupMetrics)) {
      if (groupMetrics[name] === undefined) throw validationError(`Metric type ${name} is not valid`);
      group.enabledMetrics.add(name);
    }
    if (this.#started) return;
    this.#started = true;
    every(this.#scaler.aws.engine.clock, 60_000, () => this.#publish());
  }

  disable(group: Group, names: readonly string[] | undefined): void {
    for (const name of names?.length ? names : [...group.enabledMetrics]) group.enabledMetrics.delete(name);
  }

  #publish(): void {
    for (const group of this.#scaler.groups.values()) if (group.enabledMetrics.size > 0) this.#publishGroup(group);
  }

  #publishGroup(group: Group): void {
    const { cloudwatch } = this.#scaler.aws;
    const dimensions = { AutoScalingGroupName: group.name };
    const states = [...group.members.values()].map((member) => member.state);
    const count = (matches: (state: LifecycleState) => boolean) => states.filter(matches).length;
    for (const name of group.enabledMetrics)
      cloudwatch.putMetric('AWS/AutoScaling', name, dimensions, groupMetrics[name]!(group, count), 'None');
  }
}
