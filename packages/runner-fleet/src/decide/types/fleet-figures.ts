import { metrics } from '@drover/core/names/runner-fleet';
import type { GroupFacts } from '../../model/fleet.ts';

/** The figures of one type's group. */
export interface TypeFigures {
  readonly group: Pick<GroupFacts, 'minSize' | 'maxSize' | 'desiredCapacity' | 'instances'>;
  readonly figures: Readonly<Record<string, number>>;
  readonly oldestLaunchMs: number;
  /** Seconds since there was news of its jobs; undefined: none is expected. */
  readonly signalAgeSeconds: number | undefined;
}

/** Metrics of each type apart, published while it has anything to do: a metric costs by the hours in which it is published. */
const apart = [metrics.assignedJobs, metrics.runningJobs, metrics.waitingJobs, metrics.idle] as const;

/** The worst of all types, under the names of the fleet's alarms. The counts of the default type stay its own. */
export function fleetFigures(ofDefault: TypeFigures | undefined, others: readonly TypeFigures[]) {
  const all = [...(ofDefault === undefined ? [] : [ofDefault]), ...others];
  const most = (values: readonly number[]) => Math.max(0, ...values);
  const figure = (name: string) => all.map(({ figures }) => figures[name] ?? 0);
  const room = all.filter(mayGrow).map(({ group }) => group.maxSize - group.desiredCapacity);
  const ages = all.flatMap(({ signalAgeSeconds }) => signalAgeSeconds ?? []);
  return {
    ...ofDefault?.figures,
    [metrics.hookAge]: most(figure(metrics.hookAge)),
    [metrics.bootFailures]: most(figure(metrics.bootFailures)),
    [metrics.jobsNotTaken]: most(figure(metrics.jobsNotTaken)),
    ...(ages.length === 0 ? {} : { [metrics.demandSignalAge]: most(ages) }),
    [metrics.launchAge]: Math.round(most(all.map(({ oldestLaunchMs }) => oldestLaunchMs)) / 1000),
    [metrics.groupsEmpty]: all.filter(isEmpty).length,
    ...(room.length === 0 ? {} : { [metrics.groupRoom]: Math.min(...room) }),
  };
}

/** Undefined: nothing is published about it now. */
export function apartFigures({ figures }: TypeFigures): Readonly<Record<string, number>> | undefined {
  const own = Object.fromEntries(apart.map((name) => [name, figures[name] ?? 0]));
  return Object.values(own).some((value) => value > 0) ? own : undefined;
}

/** A group whose maximum is 0 is being removed. */
const mayGrow = ({ group }: TypeFigures) => group.maxSize > 0;

const isEmpty = ({ group }: TypeFigures) =>
  group.minSize > 0 && !group.instances.some(({ lifecycleState }) => lifecycleState === 'InService');
