import type { Activity } from '@aws-sdk/client-auto-scaling';
import { functionsOf, type LogSource } from '@drover/core/names/runner-fleet';
import { activitiesOf as allActivities } from '../../groups.ts';
import { functionLog, instanceLines, logLines } from '../function-log.ts';
import type { OpenFleet, OpenGroup } from '../open-fleet.ts';

/** One thing that happened to an instance, as it was logged. */
export interface Moment {
  readonly at: number;
  readonly source: string;
  readonly what: string;
}

/** Moments of an instance from the group's activities, the functions' logs and its own logs, oldest first. */
export async function readMoments(fleet: OpenFleet, instanceId: string, since: number): Promise<Moment[]> {
  const moments = [
    ...(await activitiesOf(fleet, instanceId)),
    ...(await logLinesOf(fleet, instanceId, since)),
    ...(await ownLinesOf(fleet, instanceId, since)),
  ];
  return moments.sort((a, b) => a.at - b.at);
}

export async function activitiesOf({ aws, ports }: OpenGroup, instanceId: string): Promise<Moment[]> {
  const moments: Moment[] = [];
  // Whether it has a fallback shows when it is read.
  await ports.group.read();
  for (const name of ports.groups.names)
    for await (const activity of allActivities(aws.autoscaling, name))
      if (activity.Description?.includes(instanceId)) moments.push(...momentsOf(activity));
  return moments;
}

function momentsOf({ StartTime, EndTime, Description, Cause, StatusCode, StatusMessage }: Activity): Moment[] {
  const source = 'autoscaling';
  const begun = { at: StartTime?.getTime() ?? 0, source, what: `${Description}: ${Cause}` };
  if (EndTime === undefined) return [{ ...begun, what: `${begun.what} (${StatusCode})` }];
  const outcome = StatusMessage === undefined || StatusMessage === '' ? StatusCode : `${StatusCode}: ${StatusMessage}`;
  return [begun, { at: EndTime.getTime(), source, what: `${Description}: ${outcome}` }];
}

async function logLinesOf(fleet: OpenFleet, instanceId: string, since: number): Promise<Moment[]> {
  const { aws, outputs, config, imageBakeDays } = fleet;
  const moments: Moment[] = [];
  for (const suffix of functionsOf(config.scalingMode, imageBakeDays !== undefined)) {
    const logGroupName = functionLog(outputs, suffix);
    if (logGroupName === undefined) continue;
    const filter = { logGroupName, startTime: since, filterPattern: `"${instanceId}"` };
    for await (const { at, text } of logLines(aws, filter)) moments.push({ at, source: suffix, what: text });
  }
  return moments;
}

/**
 * The output of cloud-init and Puppet is long: their ends are enough here, `drover fleet logs INSTANCE` shows the rest.
 */
const telling: readonly { readonly source: LogSource; readonly filterPattern?: string }[] = [
  { source: 'boot' },
  { source: 'cloud-init', filterPattern: '"finished at"' },
  { source: 'puppet', filterPattern: '"Applied catalog"' },
  { source: 'agent' },
  { source: 'runner' },
  { source: 'jobs' },
];
/** A boot that failed sends the end of its logs: the last lines say why. */
const mostLines = 40;

async function ownLinesOf(fleet: OpenFleet, instanceId: string, startTime: number): Promise<Moment[]> {
  if (!fleet.outputs.has('instance_log_group')) return [];
  const moments: Moment[] = [];
  for (const { source, filterPattern } of telling) {
    const lines: Moment[] = [];
    for await (const { at, text } of instanceLines(fleet, instanceId, { startTime, source, filterPattern }))
      lines.push({ at, source, what: text });
    moments.push(...(source === 'boot' ? lines.slice(-mostLines) : lines));
  }
  return moments;
}
