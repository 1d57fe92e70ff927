import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { rateLimit } from '@drover/adapters/github';
import { describeError } from '@drover/core';
import type { DroverIo } from '../io.ts';
import { type Format, json, table } from '../render/table.ts';
import { type FleetMember, readMembers } from './members.ts';
import { type OpenFleet, openFleet } from './open-fleet.ts';

/** `drover fleet status`: capacity, runners, alarms that are on, what is left of the platform's budget. */
export async function fleetStatus(io: DroverIo, options: { stack: string; format: Format }): Promise<number> {
  const fleet = await openFleet(io, options);
  const group = await fleet.ports.group.read();
  const members = await readMembers(fleet);
  const status = {
    group: fleet.groupName,
    moduleVersion: fleet.outputs.get('module_version') ?? 'unknown',
    capacity: { min: group.minSize, desired: group.desiredCapacity, max: group.maxSize },
    instances: countStates(members),
    runners: countRunners(members),
    alarms: await alarmsThatAreOn(fleet),
    rateLimit: await budget(fleet),
  };
  io.stdout(options.format === 'json' ? json(status) : text(status));
  return 0;
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

/** Scaling alarms are on in normal times, so only those that need an operator are shown. */
async function alarmsThatAreOn({ aws, groupName }: OpenFleet): Promise<string[]> {
  const { MetricAlarms } = await aws.cloudwatch.send(new DescribeAlarmsCommand({ StateValue: 'ALARM' }));
  return (MetricAlarms ?? [])
    .map(({ AlarmName }) => AlarmName ?? '')
    .filter((name) => name.includes(`-${groupName}`) && !name.startsWith('idle_runners_'));
}

async function budget({ platform }: OpenFleet): Promise<{ limit: number; remaining: number } | string> {
  try {
    const status = await rateLimit(platform);
    return status === undefined ? 'no limit' : { limit: status.core.limit, remaining: status.core.remaining };
  } catch (error) {
    return `unknown: ${describeError(error)}`;
  }
}

function text(status: {
  group: string;
  moduleVersion: string;
  capacity: { min: number; desired: number; max: number };
  instances: Record<string, number>;
  runners: ReturnType<typeof countRunners>;
  alarms: readonly string[];
  rateLimit: { limit: number; remaining: number } | string;
}): string {
  const { capacity, runners, rateLimit: left } = status;
  const states = Object.entries(status.instances).map(([state, count]) => `${count} ${state}`);
  return table([
    ['fleet', `${status.group} (module version ${status.moduleVersion})`],
    ['capacity', `${capacity.desired} wanted, between ${capacity.min} and ${capacity.max}`],
    ['instances', states.length === 0 ? 'none' : states.join(', ')],
    ['runners', `${runners.idle} idle, ${runners.busy} busy, ${runners.offline} offline`],
    ['ghosts', `${runners.withoutInstance} runners without an instance`],
    ['alarms', status.alarms.length === 0 ? 'none is on' : status.alarms.join(', ')],
    ['platform', typeof left === 'string' ? left : `${left.remaining} of ${left.limit} requests left`],
  ]);
}
