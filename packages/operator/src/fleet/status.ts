import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { rateLimit as askRateLimit } from '@drover/adapters/github';
import { dayMs, describeError } from '@drover/core';
import { groupDimension, metricNamespace, metrics } from '@drover/core/names/runner-fleet';
import { brakeIsOn, type JobsMemory, templateProgress } from '@drover/runner-fleet';
import { readAlarms } from '../doctor/alarm-facts.ts';
import { exitCodes } from '../exit-codes.ts';
import { type DroverIo, serviceNow } from '../io.ts';
import { paint } from '../render/colour.ts';
import { shortened } from '../render/short.ts';
import { duration, type Format, json, table } from '../render/table.ts';
import { fleetAlarms } from './alarms.ts';
import { type FleetMember, matchMembers, readMembers } from './members.ts';
import { type OpenFleet, type OpenGroup, openFleet } from './open-fleet.ts';
import { readSurvival } from './survives.ts';

/** `drover fleet status`: capacity, runners, active alarms, remaining requests of the platform; exit code 3 if the platform could not be read. */
export async function fleetStatus(
  io: DroverIo,
  options: { stack: string; format: Format; type?: string },
): Promise<number> {
  const status = await readStatus(await openFleet(io, options), serviceNow(io));
  io.stdout(options.format === 'json' ? json(status) : text(io, status));
  return status.missing.length === 0 ? exitCodes.done : exitCodes.notAllRead;
}

type Status = Awaited<ReturnType<typeof readStatus>>;

/** AWS's part is always there, the platform's part only when it can be read. */
async function readStatus(fleet: OpenFleet, now: number) {
  const group = await fleet.ports.group.read();
  const read = await readMembers(fleet).catch(describeError);
  const members = typeof read === 'string' ? matchMembers(group.instances, []) : read;
  const rateLimit = await remainingRequests(fleet);
  const memory = await fleet.ports.memory.read();
  const demand = fleet.ports.jobsMode ? demandOf(memory.jobs, now) : undefined;
  const { hosts, current, stoppedBy } = templateProgress(group, memory.bootFailures, now);
  return {
    group: fleet.groupName,
    moduleVersion: fleet.outputs.get('module_version') ?? 'unknown',
    capacity: { min: group.minSize, desired: group.desiredCapacity, max: group.maxSize },
    instances: countStates(members),
    rollout: { hosts, current, stopped: stoppedBy !== undefined },
    scalingMode: fleet.config.scalingMode,
    runners: demand === undefined && typeof read !== 'string' ? countRunners(members) : undefined,
    demand,
    ...(fleet.types.length === 0
      ? {}
      : { type: fleet.type, types: await Promise.all(fleet.types.map((type) => readType(type, now))) }),
    survives: (await readSurvival(fleet)).line,
    drain: { allowedSeconds: fleet.config.allowedDrainTimeMs / 1000, longestJobSeconds: await longestJob(fleet, now) },
    alarms: await activeAlarms(fleet),
    rateLimit,
    /** Parts that could not be read, with the reason. */
    missing: [
      ...(typeof read === 'string' ? [`the runners: ${shortened(read)}`] : []),
      ...(typeof rateLimit === 'string' && rateLimit !== noLimit ? [`the rate limit: ${shortened(rateLimit)}`] : []),
    ],
  };
}

/** One line about each further type. */
async function readType({ type, groupName, ports }: OpenGroup, now: number) {
  const [group, memory] = await Promise.all([ports.group.read(), ports.memory.read()]);
  const { assigned, running, waiting, idle, signalAgeSeconds } = demandOf(memory.jobs, now);
  return {
    type,
    group: groupName,
    capacity: { min: group.minSize, desired: group.desiredCapacity, max: group.maxSize },
    instances: group.instances.length,
    launchesBraked: brakeIsOn(memory.bootFailures, now),
    heldBy: memory.jobs?.heldBy ?? null,
    ...{ assigned, running, waiting, idle, signalAgeSeconds },
  };
}

function countStates(members: readonly FleetMember[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { instance } of members)
    if (instance !== undefined) counts[instance.lifecycleState] = (counts[instance.lifecycleState] ?? 0) + 1;
  return counts;
}

function countRunners(members: readonly FleetMember[]) {
  const runners = members.flatMap(({ runner }) => (runner === undefined ? [] : [runner]));
  const online = runners.filter(({ status }) => status === 'online');
  return {
    online: online.length,
    idle: online.filter(({ busy }) => !busy).length,
    busy: online.filter(({ busy }) => busy).length,
    offline: runners.length - online.length,
    withoutInstance: members.filter(({ instance }) => instance === undefined).length,
  };
}

/** The last window's knowledge of the jobs; null is unknown. */
const demandOf = ({ scaleSet, statistics, statisticsAt, notTaken = 0 }: JobsMemory = {}, now: number) => ({
  scaleSet: scaleSet?.name ?? null,
  assigned: statistics?.assigned ?? null,
  running: statistics?.running ?? null,
  waiting: statistics === undefined ? null : Math.max(0, statistics.assigned - statistics.running),
  /** Beyond what the fleet may serve now. */
  notAssigned: statistics?.available ?? null,
  notTaken,
  idle: statistics?.idle ?? null,
  busy: statistics?.busy ?? null,
  signalAgeSeconds: statisticsAt === undefined ? null : Math.max(0, Math.round((now - statisticsAt) / 1000)),
});

/** Scaling alarms are also in ALARM in normal operation, so only those that need an operator are shown. */
async function activeAlarms({ aws, fleetName, config }: OpenFleet): Promise<string[]> {
  const alarms = await readAlarms(aws.cloudwatch, [...fleetAlarms(fleetName, config.scalingMode).keys()]);
  return alarms.filter(({ on }) => on).map(({ name }) => name);
}

const noLimit = 'no limit';

/** How far back the longest job is looked for. */
const jobDays = 14;

/** Run time of the longest job that ended; null if none did. */
async function longestJob({ aws, config, groupName }: OpenFleet, now: number): Promise<number | null> {
  const { Datapoints = [] } = await aws.cloudwatch.send(
    new GetMetricStatisticsCommand({
      Namespace: metricNamespace(config.vendor),
      MetricName: metrics.jobSeconds,
      Dimensions: [{ Name: groupDimension, Value: groupName }],
      StartTime: new Date(now - jobDays * dayMs),
      EndTime: new Date(now),
      Period: dayMs / 1000,
      Statistics: ['Maximum'],
    }),
  );
  return Datapoints.length === 0 ? null : Math.max(...Datapoints.map(({ Maximum = 0 }) => Maximum));
}

/** Describes the effect on jobs of a termination that AWS or a person begins. */
function drainText({ allowedSeconds, longestJobSeconds }: Status['drain']): string {
  const allowed = `a job on an instance that is terminated has ${duration(allowedSeconds * 1000)} more (allowed_drain_time)`;
  if (longestJobSeconds === null) return `${allowed}; no job has ended in ${jobDays} days`;
  const longest = `the longest job of ${jobDays} days took ${duration(longestJobSeconds * 1000)}`;
  return longestJobSeconds > allowedSeconds
    ? `${allowed}; ${longest}: one like it can be ended`
    : `${allowed}; ${longest}: enough for it`;
}

async function remainingRequests({ platform }: OpenFleet): Promise<{ limit: number; remaining: number } | string> {
  try {
    const status = await askRateLimit(platform);
    return status === undefined ? noLimit : { limit: status.core.limit, remaining: status.core.remaining };
  } catch (error) {
    return `unknown: ${describeError(error)}`;
  }
}

function text(io: DroverIo, status: Status): string {
  const { capacity, rateLimit: left } = status;
  const states = Object.entries(status.instances).map(([state, count]) => `${count} ${state}`);
  return table([
    ['fleet', `${status.group} (module version ${status.moduleVersion})`],
    ['capacity', `${capacity.desired} desired, between ${capacity.min} and ${capacity.max}`],
    ['instances', states.length === 0 ? 'none' : states.join(', ')],
    ['template', templateRow(io, status.rollout)],
    ['scaling mode', status.scalingMode],
    ...runnerRows(status),
    ...(status.types ?? []).map((type) => [`type ${type.type}`, typeText(io, type)]),
    ['as configured', `it ${status.survives}`],
    ['drain', drainText(status.drain)],
    ['alarms', status.alarms.length === 0 ? paint(io, 'green', 'none') : paint(io, 'red', status.alarms.join(', '))],
    ['platform', typeof left === 'string' ? shortened(left) : `${left.remaining} of ${left.limit} requests left`],
    ...(status.missing.length === 0
      ? []
      : [['not shown', paint(io, 'red', 'what only the platform knows: see drover fleet doctor')]]),
  ]);
}

/** Each part that can set off an alarm of the fleet is named where it is not as usual. */
function typeText(io: DroverIo, type: NonNullable<Status['types']>[number]): string {
  const { capacity, assigned, running, waiting, signalAgeSeconds: age } = type;
  const old = age === null || age > 240;
  const troubles = [
    ...(capacity.max > 0 && capacity.desired >= capacity.max ? ['at its maximum'] : []),
    ...(type.launchesBraked ? ['boots fail: launches are braked'] : []),
    ...(old && capacity.max > 0
      ? [age === null ? 'no demand signal yet' : `demand signal ${duration(age * 1000)} old`]
      : []),
    ...(type.heldBy === null ? [] : [`scale set held by ${type.heldBy}`]),
    ...(capacity.max === 0 ? ['being removed'] : []),
  ];
  const jobs = assigned === null ? 'jobs unknown' : `${counted(running ?? 0, 'job')} running, ${waiting} waiting`;
  const usual = `${capacity.desired} desired, between ${capacity.min} and ${capacity.max}; ${counted(type.instances, 'instance')}; ${jobs}`;
  return troubles.length === 0 ? usual : `${usual}; ${paint(io, 'red', troubles.join(', '))}`;
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

function templateRow(io: DroverIo, { hosts, current, stopped }: Status['rollout']): string {
  const progress = `${current} of ${counted(hosts, 'host')} on the current one`;
  return stopped ? paint(io, 'red', `${progress}: the roll-out is stopped, see drover fleet doctor`) : progress;
}

function runnerRows({ runners, demand }: Status): string[][] {
  if (runners !== undefined)
    return [
      ['runners', `${runners.idle} idle, ${runners.busy} busy, ${runners.offline} offline`],
      ['orphans', `${counted(runners.withoutInstance, 'runner')} without an instance`],
    ];
  if (demand === undefined) return [['runners', 'unknown: the platform could not be read']];
  const { scaleSet, assigned, running, waiting, notAssigned, idle, busy, signalAgeSeconds: age } = demand;
  const more = notAssigned === 0 ? '' : `; ${notAssigned} more not assigned`;
  return [
    ['scale set', scaleSet ?? 'none yet'],
    ['jobs', assigned === null ? 'unknown' : `${assigned} assigned: ${running} running, ${waiting} waiting${more}`],
    ['runners', idle === null ? 'unknown' : `${idle} idle, ${busy} busy`],
    ['demand signal', age === null ? 'none yet: see drover fleet doctor' : `${duration(age * 1000)} old`],
  ];
}
