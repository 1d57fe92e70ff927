import { type GroupMember, inService } from '../../model/lifecycle.ts';
import type { GroupFrame, SpreadNote, SpreadOutcome } from '../../model/spread.ts';
import { crowding, staying } from './zones.ts';

export interface SpreadFacts {
  /** Of the masters. */
  readonly group: GroupFrame;
  /** The last attempt. */
  readonly note: SpreadNote | undefined;
  /** The instance of the elected master. */
  readonly elected: string | undefined;
  /** Why nothing may be begun now. */
  readonly obstacles: readonly string[];
}

export type SpreadStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'wait'; readonly because: string }
  /** The note first, then the capacity: a surplus without a note would belong to an operator. */
  | { readonly kind: 'begin'; readonly note: SpreadNote }
  /** One instance goes, and the group wants one less. */
  | { readonly kind: 'end-instance'; readonly instance: GroupMember; readonly note: SpreadNote }
  /** The group wants no more than before; nothing was launched that could be ended. */
  | { readonly kind: 'lower'; readonly note: SpreadNote }
  | { readonly kind: 'close'; readonly note: SpreadNote };

const minute = 60_000;
/** After an attempt that did not help. Auto Scaling leaves a zone without capacity out for a while, too. */
export const retryAfterMs = 15 * minute;
/** How long Auto Scaling may take to launch anything at all. */
const launchWithinMs = 10 * minute;
/** How long a newcomer may take from there until it serves. */
const serveWithinMs = 60 * minute;
/** An attempt that was noted a moment ago may be about to raise the capacity. */
const raiseWithinMs = 5 * minute;

/**
 * Masters hold no data: where one zone has two more than another, one is launched first, which Auto Scaling does in the
 * emptiest zone, and then one of the fullest zone is drained. The note says that the surplus is ours; the next run goes
 * on from there.
 */
export function decideSpread(facts: SpreadFacts, now: number): SpreadStep {
  const { note } = facts;
  return note === undefined || note.ended !== undefined ? begin(facts, now) : goOn(facts, note, now);
}

/** Whether anything has to be read and decided at all. */
export const concernsSpread = ({ group, note }: Pick<SpreadFacts, 'group' | 'note'>): boolean =>
  (note !== undefined && note.ended === undefined) || crowding(group.zones, staying(group.members)).difference > 1;

function begin({ group, note, obstacles }: SpreadFacts, now: number): SpreadStep {
  const masters = staying(group.members);
  const { difference, emptiest } = crowding(group.zones, masters);
  if (difference < 2) return { kind: 'none' };
  const { desired, minSize, maxSize } = group;
  if (desired !== minSize || maxSize <= desired)
    return wait(`the sizes of ${group.groupName} are ${minSize}/${desired}/${maxSize}, which an operator has changed`);
  const [first] = obstacles;
  if (first !== undefined) return wait(first);
  if (now < retryAt(note)) return wait(`the last attempt ended ${note!.ended!.outcome}`);
  const instances = masters.map(({ instanceId }) => instanceId);
  return { kind: 'begin', note: { startedAt: now, zones: emptiest, masters: minSize, instances } };
}

/** When the next attempt may begin. */
export function retryAt(note: SpreadNote | undefined): number {
  if (note?.ended === undefined || note.ended.outcome === 'spread') return 0;
  return note.ended.at + (note.ended.outcome === 'not-serving' ? serveWithinMs : retryAfterMs);
}

function goOn(facts: SpreadFacts, note: SpreadNote, now: number): SpreadStep {
  const { group } = facts;
  const ended = (outcome: SpreadOutcome): SpreadNote => ({ ...note, ended: { at: now, outcome } });
  const masters = staying(group.members);
  const since = now - note.startedAt;
  if (group.minSize !== note.masters || group.desired < note.masters || group.desired > note.masters + 1)
    return { kind: 'close', note: ended('overtaken') };
  if (group.desired === note.masters) {
    if (since < raiseWithinMs) return wait('the capacity is about to be raised');
    const even = crowding(group.zones, masters).difference < 2;
    return { kind: 'close', note: ended(even ? 'spread' : 'undone') };
  }
  if (masters.length <= note.masters)
    return since < launchWithinMs
      ? wait('a master is being launched')
      : { kind: 'lower', note: ended(crowding(group.zones, masters).difference < 2 ? 'spread' : 'not-launched') };
  return endSurplus(facts, note, masters, now);
}

function endSurplus(
  { group, elected, obstacles }: SpreadFacts,
  note: SpreadNote,
  masters: readonly GroupMember[],
  now: number,
): SpreadStep {
  const newcomers = masters.filter(({ instanceId }) => !note.instances.includes(instanceId));
  const end = (instance: GroupMember, outcome: SpreadOutcome): SpreadStep => ({
    kind: 'end-instance',
    instance,
    note: { ...note, ended: { at: now, outcome } },
  });
  const misplaced = newcomers.find(({ zone }) => !note.zones.includes(zone ?? ''));
  if (misplaced !== undefined && newcomers.length === 1) return end(misplaced, 'no-capacity');
  const launching = newcomers.find(({ lifecycleState }) => lifecycleState !== inService);
  if (launching !== undefined)
    return now - note.startedAt < serveWithinMs
      ? wait(`${launching.instanceId} is launching`)
      : end(launching, 'not-serving');
  const [first] = obstacles;
  if (first !== undefined) return wait(first);
  const { fullest } = crowding(group.zones, masters);
  const [instance] = masters
    .filter(({ zone }) => fullest.includes(zone ?? ''))
    // Without the elected master the others would have to elect again.
    .sort((a, b) => Number(a.instanceId === elected) - Number(b.instanceId === elected) || byId(a, b));
  return end(instance!, 'spread');
}

const byId = (a: GroupMember, b: GroupMember) => (a.instanceId < b.instanceId ? -1 : 1);

const wait = (because: string): SpreadStep => ({ kind: 'wait', because });
