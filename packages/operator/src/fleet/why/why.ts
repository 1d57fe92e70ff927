import { TerminalError } from '@drover/core';
import { type DroverIo, serviceNow } from '../../io.ts';
import { paint } from '../../render/colour.ts';
import { type Format, json } from '../../render/table.ts';
import { instanceOf, readMembers } from '../members.ts';
import { type OpenFleet, type OpenGroup, openFleet } from '../open-fleet.ts';
import { activitiesOf, type Moment, readMoments } from './moments.ts';
import { type Sentence, type Story, tellStory } from './story.ts';

export interface WhyOptions {
  readonly stack: string;
  readonly type?: string;
  readonly format: Format;
  /** The raw log lines instead of the story. */
  readonly lines: boolean;
}

const daysBack = 3;

/** `drover fleet why INSTANCE|RUNNER`: its life in sentences, from the group's activities, the functions' logs and what it logged itself. */
export async function fleetWhy(io: DroverIo, subject: string, options: WhyOptions): Promise<number> {
  const opened = await openFleet(io, options);
  const instanceId = await instanceNamed(opened, subject);
  const fleet = options.type === undefined ? { ...opened, ...(await groupOf(opened, instanceId)) } : opened;
  const now = serviceNow(io);
  const since = now - daysBack * 86_400_000;
  const moments = await readMoments(fleet, instanceId, since);
  if (moments.length === 0)
    throw new TerminalError(`no activity and no log line mentions ${instanceId}`, {
      remedy: `activities go back six weeks, logs were searched for ${daysBack} days`,
    });
  const isJson = options.format === 'json';
  const story = await storyOf(fleet, instanceId, { moments, since, now });
  if (options.lines) io.stdout(isJson ? json(moments.map(dated)) : moments.map(lineOf).join(''));
  else io.stdout(isJson ? json({ ...story, sentences: story.sentences.map(spoken) }) : storyText(io, story));
  return 0;
}

const dated = ({ at, source, what }: Moment) => ({ at: new Date(at).toISOString(), source, what });

const spoken = (one: Sentence) => ({ ...dated({ ...one, what: said(one) }), bad: one.bad });

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

/** The group that has the instance, or whose activities mention it: that of the default type if none does. */
async function groupOf({ groups }: OpenFleet, instanceId: string): Promise<OpenGroup> {
  const [ofDefault, ...further] = groups;
  if (further.length === 0) return ofDefault!;
  const members = await Promise.all(groups.map(async (group) => ({ group, ...(await group.ports.group.read()) })));
  const present = members.find(({ instances }) => instances.some(({ id }) => id === instanceId));
  if (present !== undefined) return present.group;
  for (const group of further) if ((await activitiesOf(group, instanceId)).length > 0) return group;
  return ofDefault!;
}

async function storyOf(
  { ports, groupName, config }: OpenFleet,
  instanceId: string,
  read: { readonly moments: readonly Moment[]; readonly since: number; readonly now: number },
): Promise<Story> {
  const [{ instances }, { bootFailures = [], jobs }] = await Promise.all([ports.group.read(), ports.memory.read()]);
  const given = Object.values(jobs?.jobs ?? {}).find(({ runnerName }) => runnerName === instanceId);
  return tellStory({
    ...read,
    instanceId,
    groupName,
    lifecycleState: instances.find(({ id }) => id === instanceId)?.lifecycleState,
    bootFailure: bootFailures.findLast((one) => one.instanceId === instanceId)?.reason,
    given: given === undefined ? undefined : `${given.name} (${given.repository})`,
    allowedDrainTimeMs: config.allowedDrainTimeMs,
  });
}

const lineOf = ({ at, source, what }: Moment) => `${new Date(at).toISOString()}  ${source.padEnd(15)} ${what}\n`;

/** The outcome first, then what happened, with a heading for each day. */
function storyText(io: DroverIo, { summary, warnings, sentences }: Story): string {
  const head = [summary, ...warnings.map((text) => `${paint(io, 'yellow', 'WARNING')}  ${text}`)];
  const told = sentences.map((sentence, index) => {
    const before = sentences[index - 1];
    const heading = before !== undefined && day(before.at) === day(sentence.at) ? '' : `\n${day(sentence.at)} (UTC)\n`;
    return `${heading}${sentenceText(io, sentence)}`;
  });
  return `${head.join('\n')}\n${told.join('')}`;
}

const day = (at: number) => new Date(at).toISOString().slice(0, 10);

const said = ({ text, repeated }: Sentence) =>
  repeated === undefined ? text : `${text} (${repeated.times} times until ${time(repeated.until)})`;

const sentenceText = (io: DroverIo, one: Sentence) =>
  `  ${time(one.at)}  ${one.source.padEnd(15)} ${one.bad ? `${paint(io, 'yellow', 'WARNING')} ` : ''}${said(one)}\n`;

const time = (at: number) => new Date(at).toISOString().slice(11, 19);
