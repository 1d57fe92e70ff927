import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import { TerminalError } from '@drover/core';
import { activitiesOf, describeGroups } from '../groups.ts';
import { type DroverIo, serviceNow } from '../io.ts';
import { type Format, json, table } from '../render/table.ts';
import type { Since } from './function-log.ts';
import { readJobs } from './jobs.ts';
import { type OpenFleet, openFleet } from './open-fleet.ts';
import { costOf, readPrices, requirePrices } from './prices.ts';
import { type BilledActivity, type Distribution, usageOf } from './usage.ts';

/** Options of `drover fleet cost`. */
export interface CostOptions {
  readonly stack: string;
  readonly format: Format;
  readonly since: Since;
  readonly prices?: string;
  readonly volumeGib: number;
  /** The type of instances that are gone, when the group has several types or no instance. */
  readonly instanceType?: string;
}

/** Size of a root volume when none is given. */
export const defaultVolumeGib = 30;

/** `drover fleet cost`: what the fleet's instances have cost, by the group's activities and a price table. */
export async function fleetCost(io: DroverIo, options: CostOptions): Promise<number> {
  const estimated = await costOfFleet(await openFleet(io, options), serviceNow(io), options);
  io.stdout(options.format === 'json' ? json(estimated) : text(estimated));
  return 0;
}

/** The estimate up to a moment. */
export async function costOfFleet(fleet: OpenFleet, to: number, options: Omit<CostOptions, 'stack' | 'format'>) {
  const from = options.since(to);
  const group = await describeGroup(fleet);
  const prices = readPrices(options.prices);
  const { typeOf, types } = instanceTypes(group, options.instanceType);
  requirePrices(prices, types, fleet.groupName);
  const { usage, instances } = usageOf(await activities(fleet), { from, to }, typeOf, distributionOf(group));
  const ended = (await readJobs(fleet, from)).flatMap(({ seconds }) => (seconds === null ? [] : [seconds]));
  const { onDemand, spot } = usage.runningHours;
  return {
    group: fleet.groupName,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    instances,
    instanceTypes: types,
    hours: { onDemand: sum(onDemand.values()), spot: sum(spot.values()), hibernated: usage.hibernatedHours },
    jobs: { ended: ended.length, hours: sum(ended) / 3600 },
    cost: costOf(usage, options.volumeGib, prices),
    currency: prices.currency,
    prices: { region: prices.region, date: prices.date, source: prices.source },
  };
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, each) => all + each, 0);

function text(estimated: Awaited<ReturnType<typeof costOfFleet>>): string {
  const { group, from, to, instances, hours, jobs, cost, prices } = estimated;
  const money = (amount: number) => `${amount.toFixed(2)} ${estimated.currency}`;
  const running = hours.onDemand + hours.spot;
  const used = running === 0 ? 0 : Math.round((100 * jobs.hours) / running);
  const rows = [
    ['fleet', `${group}, from ${from} to ${to}`],
    ['instances', `${instances} (${estimated.instanceTypes.join(', ')})`],
    ['on-demand', `${hours.onDemand.toFixed(1)} h  ${money(cost.onDemand)}`],
    ['spot', `${hours.spot.toFixed(1)} h  ${money(cost.spot)}`],
    ['volumes', money(cost.volumes)],
    ['hibernated', `${hours.hibernated.toFixed(1)} h  ${money(cost.hibernated)}`],
    ['total', money(cost.total)],
    ['jobs', `${jobs.ended} ended, ${jobs.hours.toFixed(1)} h of run time: ${used} % of the running hours`],
    ['a job', jobs.ended === 0 ? '-' : money(cost.total / jobs.ended)],
  ];
  return `${table(rows)}An estimate by prices of ${prices.region}, ${prices.date}; network, functions, metrics and logs are not in it.\n`;
}

async function describeGroup({ aws, groupName }: OpenFleet): Promise<AutoScalingGroup> {
  const [group] = await describeGroups(aws.autoscaling, groupName);
  if (group !== undefined) return group;
  throw new TerminalError(`the group ${groupName} does not exist`, { remedy: 'deploy its stack again' });
}

/** Those that exist have a type; activities do not say what the others were. */
function instanceTypes(group: AutoScalingGroup, given: string | undefined) {
  const present = new Map(
    (group.Instances ?? []).map(({ InstanceId = '', InstanceType = '' }) => [InstanceId, InstanceType]),
  );
  const overrides = group.MixedInstancesPolicy?.LaunchTemplate?.Overrides ?? [];
  const possible = [...new Set([...overrides.map(({ InstanceType = '' }) => InstanceType), ...present.values()])];
  const assumed = given ?? (possible.length === 1 ? possible[0] : undefined);
  if (assumed === undefined)
    throw new TerminalError(
      possible.length === 0
        ? 'the group has no instance, so its instance type is not known'
        : `the group may have ${possible.join(', ')}, and its activities do not say what instances that are gone were`,
      { remedy: 'name the type to count them as: --instance-type TYPE' },
    );
  return { typeOf: (id: string) => present.get(id) ?? assumed, types: [...new Set([assumed, ...present.values()])] };
}

function distributionOf({ MixedInstancesPolicy }: AutoScalingGroup): Distribution {
  const { OnDemandBaseCapacity = 0, OnDemandPercentageAboveBaseCapacity = 100 } =
    MixedInstancesPolicy?.InstancesDistribution ?? {};
  return { onDemandBase: OnDemandBaseCapacity, onDemandPercentage: OnDemandPercentageAboveBaseCapacity };
}

/** All that Auto Scaling still has: six weeks. An instance that was launched before the period counts, too. */
async function activities({ aws, groupName }: OpenFleet): Promise<BilledActivity[]> {
  const found: BilledActivity[] = [];
  for await (const { StartTime, EndTime, Description = '' } of activitiesOf(aws.autoscaling, groupName))
    found.push({ startedAt: StartTime?.getTime() ?? 0, endedAt: EndTime?.getTime(), description: Description });
  return found;
}
