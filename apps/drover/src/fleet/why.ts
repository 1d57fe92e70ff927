import { type Activity, paginateDescribeScalingActivities } from '@aws-sdk/client-auto-scaling';
import { TerminalError } from '@drover/core';
import { functionsOf } from '@drover/core/names/runner-fleet';
import { type DroverIo, serviceNow } from '../io.ts';
import { type Format, json } from '../render/table.ts';
import { functionLog, instanceLines, logLines } from './function-log.ts';
import { instanceOf, readMembers } from './members.ts';
import { type OpenFleet, openFleet } from './open-fleet.ts';

/** One thing that happened to an instance. */
export interface Moment {
  readonly at: number;
  readonly source: string;
  readonly what: string;
}

const daysBack = 3;

/** `drover fleet why INSTANCE|RUNNER`: its whole history, from the group's activities, the functions' logs and what it logged itself. */
export async function fleetWhy(
  io: DroverIo,
  subject: string,
  options: { stack: string; format: Format },
): Promise<number> {
  const fleet = await openFleet(io, options);
  const instanceId = await instanceNamed(fleet, subject);
  const since = serviceNow(io) - daysBack * 86_400_000;
  const moments = [
    ...(await activitiesOf(fleet, instanceId)),
    ...(await logLinesOf(fleet, instanceId, since)),
    ...(await ownLinesOf(fleet, instanceId, since)),
  ];
  if (moments.length === 0)
    throw new TerminalError(`no activity and no log line mentions ${instanceId}`, {
      remedy: `activities go back six weeks, logs were searched for ${daysBack} days`,
    });
  moments.sort((a, b) => a.at - b.at);
  if (options.format === 'json') io.stdout(json(moments));
  else
    for (const { at, source, what } of moments)
      io.stdout(`${new Date(at).toISOString()}  ${source.padEnd(15)} ${what}\n`);
  return 0;
}

/** An instance by its id, or by its runner's name or number. */
async function instanceNamed(fleet: OpenFleet, subject: string): Promise<string> {
  if (/^i-[0-9a-f]+$/.test(subject)) return subject;
  const members = await readMembers(fleet);
  const found = members.find(({ runner }) => runner?.name === subject || String(runner?.id) === subject);
  const id = found?.runner === undefined ? undefined : instanceOf(found.runner);
  if (id !== undefined) return id;
  throw new TerminalError(`there is no instance and no runner ${subject} in ${fleet.groupName}`, {
    remedy: '`drover fleet runners` lists both',
  });
}

export async function activitiesOf({ aws, groupName }: OpenFleet, instanceId: string): Promise<Moment[]> {
  const moments: Moment[] = [];
  const pages = paginateDescribeScalingActivities({ client: aws.autoscaling }, { AutoScalingGroupName: groupName });
  for await (const { Activities = [] } of pages)
    moments.push(...Activities.filter((each) => each.Description?.includes(instanceId)).flatMap(momentsOf));
  return moments;
}

function momentsOf({ StartTime, EndTime, Description, Cause, StatusCode, StatusMessage }: Activity): Moment[] {
  const source = 'autoscaling';
  const begun = { at: StartTime?.getTime() ?? 0, source, what: `${Description}: ${Cause}` };
  if (EndTime === undefined) return [{ ...begun, what: `${begun.what} (${StatusCode})` }];
  const outcome = StatusMessage === undefined || StatusMessage === '' ? StatusCode : `${StatusCode}: ${StatusMessage}`;
  return [begun, { at: EndTime.getTime(), source, what: `${Description}: ${outcome}` }];
}

async function logLinesOf({ aws, outputs, config }: OpenFleet, instanceId: string, since: number): Promise<Moment[]> {
  const moments: Moment[] = [];
  for (const suffix of functionsOf(config.scalingMode)) {
    const logGroupName = functionLog(outputs, suffix);
    if (logGroupName === undefined) continue;
    const filter = { logGroupName, startTime: since, filterPattern: `"${instanceId}"` };
    for await (const { at, text } of logLines(aws, filter)) moments.push({ at, source: suffix, what: text });
  }
  return moments;
}

/** Of these sources; what cloud-init and Puppet say is long: `drover fleet logs INSTANCE` shows it. */
const tellingSources = ['boot', 'agent', 'runner', 'jobs'] as const;
/** A boot that failed sends the end of its logs: the last lines say why. */
const mostLines = 40;

async function ownLinesOf(fleet: OpenFleet, instanceId: string, startTime: number): Promise<Moment[]> {
  if (!fleet.outputs.has('instance_log_group')) return [];
  const moments: Moment[] = [];
  for (const source of tellingSources) {
    const lines: Moment[] = [];
    for await (const { at, text } of instanceLines(fleet, instanceId, { startTime, source }))
      lines.push({ at, source, what: text });
    moments.push(...(source === 'boot' ? lines.slice(-mostLines) : lines));
  }
  return moments;
}
