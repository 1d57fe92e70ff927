import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import { TerminalError } from '@drover/core';
import { defaultType, tags } from '@drover/core/names/runner-fleet';
import { activitiesOf, describeGroups } from '../groups.ts';
import { type DroverIo, serviceNow } from '../io.ts';
import { type Format, json, table } from '../render/table.ts';
import type { Since } from './function-log.ts';
import { type FleetJob, readJobs } from './jobs.ts';
import { type OpenFleet, type OpenGroup, openFleet } from './open-fleet.ts';
import { costOf, type PriceTable, readPrices, requirePrices } from './prices.ts';
import { costByRepository } from './repository-cost.ts';
import { type BilledActivity, type Distribution, type InstanceUsage, usageOf, usageSum } from './usage.ts';

/** Options of `drover fleet cost`. */
export interface CostOptions {
  readonly stack: string;
  readonly type?: string;
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

type Period = { readonly from: number; readonly to: number };

/** The estimate up to a moment: of one type if it is given, or of all. */
export async function costOfFleet(fleet: OpenFleet, to: number, options: Omit<CostOptions, 'stack' | 'format'>) {
  const period = { from: options.since(to), to };
  const prices = readPrices(options.prices);
  const jobs = await readJobs(fleet, period.from);
  const groups = await withFallbacks(options.type === undefined ? fleet.groups : [fleet]);
  const described = await describeGroups(fleet.aws.autoscaling, ...groups.map(({ groupName }) => groupName));
  const parts: TypeCost[] = [];
  for (const group of groups) parts.push(await costOfType(group, { described, jobs, prices, period, options }));
  const { repositories, withoutJob } = costByRepository(
    parts.flatMap(({ instances }) => instances),
    jobs,
    period,
  );
  const shown = parts.map(({ instances, ...part }) => ({ ...part, instances: instances.length }));
  return {
    group: fleet.groupName,
    from: new Date(period.from).toISOString(),
    to: new Date(to).toISOString(),
    instances: sum(shown.map(({ instances }) => instances)),
    instanceTypes: [...new Set(parts.flatMap(({ instanceTypes }) => instanceTypes))],
    hours: sumOf(parts.map(({ hours }) => hours)),
    jobs: sumOf(parts.map((part) => part.jobs)),
    cost: sumOf(parts.map(({ cost }) => cost)),
    ...(parts.length === 1 ? {} : { types: shown }),
    repositories,
    /** Of instances that ran no job in the period. */
    withoutJob,
    currency: prices.currency,
    prices: { region: prices.region, date: prices.date, source: prices.source },
  };
}

/** Instances that a group launched on demand for want of spot capacity are shown apart; their jobs are among those of the group. */
async function withFallbacks(groups: readonly OpenGroup[]): Promise<readonly BilledGroup[]> {
  const billed: BilledGroup[] = [];
  for (const group of groups) {
    await group.ports.group.read();
    const [, ...others] = group.ports.groups.names;
    billed.push(group, ...others.map((groupName) => ({ ...group, groupName, isFallback: true })));
  }
  return billed;
}

type BilledGroup = OpenGroup & { readonly isFallback?: boolean };
type TypeCost = Awaited<ReturnType<typeof costOfType>>;

async function costOfType(
  group: BilledGroup,
  {
    described,
    jobs,
    prices,
    period,
    options,
  }: {
    readonly described: readonly AutoScalingGroup[];
    readonly jobs: readonly FleetJob[];
    readonly prices: PriceTable;
    readonly period: Period;
    readonly options: Pick<CostOptions, 'type' | 'instanceType' | 'volumeGib'>;
  },
) {
  const { groupName, type, isFallback = false } = group;
  const found = described.find(({ AutoScalingGroupName }) => AutoScalingGroupName === groupName);
  if (found === undefined)
    throw new TerminalError(`the group ${groupName} does not exist`, { remedy: 'deploy its stack again' });
  const isAsked = type === defaultType || options.type !== undefined;
  const typeOf = instanceTypes(found, options.instanceType, isAsked);
  const { usage, instances, onDemandShare } = usageOf(await activities(group), period, typeOf, distributionOf(found));
  const used = [...new Set(instances.map(({ instanceType }) => instanceType))];
  requirePrices(prices, used, groupName);
  const ended = jobs.flatMap((job) =>
    isFallback || job.seconds === null || (job.type !== undefined && job.type !== type) ? [] : [job.seconds],
  );
  const { onDemand, spot } = usage.runningHours;
  const costOfOne = (one: InstanceUsage) => costOf(usageSum([one], onDemandShare), options.volumeGib, prices).total;
  return {
    type: isFallback ? `${type}, on demand` : type,
    group: groupName,
    instances: instances.map((one) => ({ id: one.id, cost: costOfOne(one) })),
    instanceTypes: used,
    hours: { onDemand: sum(onDemand.values()), spot: sum(spot.values()), hibernated: usage.hibernatedHours },
    jobs: { ended: ended.length, hours: sum(ended) / 3600 },
    cost: costOf(usage, options.volumeGib, prices),
  };
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, each) => all + each, 0);

/** Adds records of numbers, key by key. */
const sumOf = <Figures extends object>(records: readonly Figures[]): Figures =>
  Object.fromEntries(
    Object.keys(records[0]!).map((key) => [key, sum(records.map((record) => Number(record[key as keyof Figures])))]),
  ) as Figures;

type Estimate = Awaited<ReturnType<typeof costOfFleet>>;

function text(estimated: Estimate): string {
  const { group, from, to, instances, hours, jobs, cost, prices, types, repositories } = estimated;
  const money = (amount: number) => `${amount.toFixed(2)} ${estimated.currency}`;
  const running = hours.onDemand + hours.spot;
  const used = running === 0 ? 0 : Math.round((100 * jobs.hours) / running);
  const rows = [
    ['fleet', `${group}, from ${from} to ${to}`],
    ['instances', instances === 0 ? '0' : `${instances} (${estimated.instanceTypes.join(', ')})`],
    ['on-demand', `${hours.onDemand.toFixed(1)} h  ${money(cost.onDemand)}`],
    ['spot', `${hours.spot.toFixed(1)} h  ${money(cost.spot)}`],
    ['volumes', money(cost.volumes)],
    ['hibernated', `${hours.hibernated.toFixed(1)} h  ${money(cost.hibernated)}`],
    ['total', money(cost.total)],
    ['jobs', `${jobs.ended} ended, ${jobs.hours.toFixed(1)} h of run time: ${used} % of the running hours`],
    ['a job', jobs.ended === 0 ? '-' : money(cost.total / jobs.ended)],
  ];
  return [
    table(rows),
    ...(types === undefined ? [] : [typeTable(types, money)]),
    ...(repositories.length === 0 ? [] : [repositoryTable(estimated, money)]),
    `An estimate by prices of ${prices.region}, ${prices.date}; network, functions, metrics and logs are not in it.\n`,
    ...(repositories.length === 0
      ? []
      : [
          'A repository has the share of its jobs in the run time on each instance, with the boot and the idle time.\n',
        ]),
  ].join('');
}

type Money = (amount: number) => string;

const typeTable = (types: NonNullable<Estimate['types']>, money: Money) =>
  `\n${table([
    ['type', 'instances', 'instance types', 'hours', 'jobs', 'run time', 'cost', 'a job'],
    ...types.map(({ type, instances, hours, jobs, cost, instanceTypes: used }) => [
      type,
      String(instances),
      used.length === 0 ? '-' : used.join(', '),
      `${(hours.onDemand + hours.spot).toFixed(1)} h`,
      String(jobs.ended),
      `${jobs.hours.toFixed(1)} h`,
      money(cost.total),
      jobs.ended === 0 ? '-' : money(cost.total / jobs.ended),
    ]),
  ])}\n`;

/** Repositories in a table; JSON has all. */
const shownRepositories = 20;

function repositoryTable({ repositories, withoutJob, types }: Estimate, money: Money): string {
  const rest = repositories.length - shownRepositories;
  const more = rest <= 0 ? '' : `${rest} more repositories: --json shows all\n`;
  return `${types === undefined ? '\n' : ''}${table([
    ['repository', 'jobs', 'run time', 'cost'],
    ...repositories
      .slice(0, shownRepositories)
      .map(({ repository, jobs, hours, cost }) => [
        repository ?? '(not known)',
        String(jobs),
        `${hours.toFixed(1)} h`,
        money(cost),
      ]),
    ['(no job)', '-', '-', money(withoutJob)],
  ])}${more}\n`;
}

const overridesOf = ({ MixedInstancesPolicy }: AutoScalingGroup) =>
  MixedInstancesPolicy?.LaunchTemplate?.Overrides ?? [];

/** AWS chooses the types, by what they need to have. */
const isDescribed = (group: AutoScalingGroup) =>
  overridesOf(group).some(({ InstanceRequirements }) => InstanceRequirements !== undefined);

/**
 * Those that exist have a type; activities do not say what the others were. The given type is that of the group that is asked about. Where AWS
 * chooses, they were what most of those that exist are.
 */
function instanceTypes(group: AutoScalingGroup, given: string | undefined, isAsked: boolean): (id: string) => string {
  const present = new Map(
    (group.Instances ?? []).map(({ InstanceId = '', InstanceType = '' }) => [InstanceId, InstanceType]),
  );
  const named = overridesOf(group).flatMap(({ InstanceType }) => InstanceType ?? []);
  const possible = [...new Set([...named, ...present.values()])];
  const tagged = group.Tags?.find(({ Key }) => Key === tags.instanceType)?.Value;
  const preferred = tagged ?? (isDescribed(group) ? (mostOf([...present.values()]) ?? given) : undefined);
  const assumed = (isAsked ? given : undefined) ?? (possible.length === 1 ? possible[0] : preferred);
  return (id) => {
    const known = present.get(id) ?? assumed;
    if (known !== undefined) return known;
    throw new TerminalError(
      possible.length === 0
        ? `the group ${group.AutoScalingGroupName} has no instance, so its instance type is not known`
        : `the group ${group.AutoScalingGroupName} may have ${possible.join(', ')}, and its activities do not say what instances that are gone were`,
      { remedy: 'name the type to count them as: --instance-type TYPE' },
    );
  };
}

/** The value that is there most often. */
const mostOf = (values: readonly string[]): string | undefined => {
  const count = (value: string) => values.filter((each) => each === value).length;
  return values.toSorted((a, b) => count(b) - count(a))[0];
};

function distributionOf({ MixedInstancesPolicy }: AutoScalingGroup): Distribution {
  const { OnDemandBaseCapacity = 0, OnDemandPercentageAboveBaseCapacity = 100 } =
    MixedInstancesPolicy?.InstancesDistribution ?? {};
  return { onDemandBase: OnDemandBaseCapacity, onDemandPercentage: OnDemandPercentageAboveBaseCapacity };
}

/** All that Auto Scaling still has: six weeks. An instance that was launched before the period counts, too. */
async function activities({ aws, groupName }: OpenGroup): Promise<BilledActivity[]> {
  const found: BilledActivity[] = [];
  for await (const { StartTime, EndTime, Description = '' } of activitiesOf(aws.autoscaling, groupName))
    found.push({ startedAt: StartTime?.getTime() ?? 0, endedAt: EndTime?.getTime(), description: Description });
  return found;
}
