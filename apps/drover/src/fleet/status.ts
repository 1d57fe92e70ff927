import { paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { rateLimit } from '@drover/adapters/github';
import { describeError } from '@drover/core';
import type { DroverIo } from '../io.ts';
import { type Format, json, table } from '../render/table.ts';
import { type FleetMember, readMembers } from './members.ts';
import { type OpenFleet, openFleet } from './open-fleet.ts';

/** `drover fleet status`: capacity, runners, active alarms, remaining requests of the platform. */
export async function fleetStatus(io: DroverIo, options: { stack: string; format: Format }): Promise<number> {
  const status = await readStatus(await openFleet(io, options));
  io.stdout(options.format === 'json' ? json(status) : text(status));
  return 0;
}

async function readStatus(fleet: OpenFleet) {
  const group = await fleet.ports.group.read();
  const members = await readMembers(fleet);
  return {
    group: fleet.groupName,
    moduleVersion: fleet.outputs.get('module_version') ?? 'unknown',
    capacity: { min: group.minSize, desired: group.desiredCapacity, max: group.maxSize },
    instances: countStates(members),
    runners: countRunners(members),
    alarms: await activeAlarms(fleet),
    rateLimit: await remainingRequests(fleet),
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

/** Scaling alarms are also in ALARM in normal operation, so only those that need an operator are shown. */
export async function activeAlarms({ aws, groupName }: OpenFleet): Promise<string[]> {
  const names: string[] = [];
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client: aws.cloudwatch }, { StateValue: 'ALARM' }))
    names.push(...MetricAlarms.map(({ AlarmName }) => AlarmName ?? ''));
  return names.filter((name) => name.includes(`-${groupName}`) && !name.startsWith('idle_runners_'));
}

async function remainingRequests({ platform }: OpenFleet): Promise<{ limit: number; remaining: number } | string> {
  try {
    const status = await rateLimit(platform);
    return status === undefined ? 'no limit' : { limit: status.core.limit, remaining: status.core.remaining };
  } catch (error) {
    return `unknown: ${describeError(error)}`;
  }
}

function text(status: Awaited<ReturnType<typeof readStatus>>): string {
  const { capacity, runners, rateLimit: left } = status;
  const states = Object.entries(status.instances).map(([state, count]) => `${count} ${state}`);
  return table([
    ['fleet', `${status.group} (module version ${status.moduleVersion})`],
    ['capacity', `${capacity.desired} desired, between ${capacity.min} and ${capacity.max}`],
    ['instances', states.length === 0 ? 'none' : states.join(', ')],
    ['runners', `${runners.idle} idle, ${runners.busy} busy, ${runners.offline} offline`],
    ['orphans', `${runners.withoutInstance} runners without an instance`],
    ['alarms', status.alarms.length === 0 ? 'none' : status.alarms.join(', ')],
    ['platform', typeof left === 'string' ? left : `${left.remaining} of ${left.limit} requests left`],
  ]);
}
