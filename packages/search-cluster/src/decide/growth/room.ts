import type { GroupRoom, RoomNote, RoomStep } from '../../model/growth/room.ts';
import type { GroupFrame } from '../../model/spread.ts';
import type { NodeDisk, Watermark } from '../../model/topology.ts';
import { mustStayFree } from '../drain/check-disk.ts';

/** A group that may get more volume or more nodes by itself. */
export interface GrowingGroup {
  readonly frame: Pick<GroupFrame, 'groupName' | 'maxSize' | 'desired' | 'volumeMaxGiB'>;
  /** Of its nodes; those of frozen data are caches, and not among them. */
  readonly disks: readonly NodeDisk[];
}

export interface RoomFacts {
  readonly groups: readonly GrowingGroup[];
  readonly note: RoomNote | undefined;
  /** The size that volumes were grown to; undefined when they never were. */
  readonly leastGiB: number | undefined;
  /** Undefined when disk-based allocation is off. */
  readonly lowWatermark: Watermark | undefined;
  /** Why no node may be added now. */
  readonly obstacles: readonly string[];
}

export type RoomAct =
  | { readonly kind: 'volume'; readonly groupName: string; readonly volumeGiB: number }
  | { readonly kind: 'count'; readonly groupName: string; readonly desired: number };

export interface RoomDecision {
  /** As it is to be before the act. */
  readonly note: RoomNote;
  readonly act: RoomAct | undefined;
  /** The reasons to wait, by group. */
  readonly waits: readonly string[];
  /** Groups that have been too full for an hour, and may not get more. */
  readonly atMaximum: readonly string[];
}

const minute = 60_000;
const fullForMs = 60 * minute;
/** The function that watches the cluster and the configuration of the nodes take half an hour. */
const volumesWithinMs = 2 * fullForMs;
/** A step that was noted a moment ago may not have reached its group. */
const raiseWithinMs = 15 * minute;
const growthFactor = 1.5;
/** A small rest is not worth a step of its own: a file system is a little smaller than its volume, and EC2 counts modifications. */
const nearShare = 0.9;
const gib = 2 ** 30;

/** Whether a group may ever grow: its least size is that of the template. */
export const mayGrow = ({ minSize, maxSize, volumeMaxGiB }: GroupFrame): boolean =>
  maxSize > minSize || volumeMaxGiB !== undefined;

/**
 * A group whose disks, taken together, have been above the low watermark for an hour gets larger volumes, or one more node when these may
 * not grow; then it has an hour again. One full disk among others with room is no reason: Elasticsearch moves its shards. Nothing gets
 * smaller again.
 */
export function decideRoom(facts: RoomFacts, now: number): RoomDecision {
  const judged = facts.groups.map((group) => judge(facts, group, now));
  const acting = judged.find(({ act }) => act !== undefined);
  const note = Object.fromEntries(judged.map(({ name, room }) => [name, room]));
  return {
    note: acting === undefined ? note : { ...note, [acting.name]: { ...note[acting.name], step: acting.step! } },
    act: acting?.act,
    waits: judged.flatMap(({ name, wait }) => (wait === undefined ? [] : `${name}: ${wait}`)),
    atMaximum: judged.filter(({ atMaximum }) => atMaximum).map(({ name }) => name),
  };
}

interface Judged {
  readonly name: string;
  readonly room: GroupRoom;
  readonly act?: RoomAct;
  readonly step?: RoomStep;
  readonly wait?: string;
  readonly atMaximum?: boolean;
}

function judge(facts: RoomFacts, { frame, disks }: GrowingGroup, now: number): Judged {
  const { groupName: name, desired, maxSize, volumeMaxGiB } = frame;
  const before = facts.note?.[name] ?? {};
  const { step } = before;
  // Nothing is known of a group none of whose nodes responds.
  if (disks.length === 0) return { name, room: before };
  const kept = step === undefined ? {} : { step };
  if (!isFull(disks, facts.lowWatermark)) return { name, room: kept };
  const { fullSince = now } = before;
  const judged = { name, room: { ...kept, fullSince } };
  // The run before died between its note and its act.
  if (step?.kind === 'count' && step.desired === desired + 1 && now - step.at < raiseWithinMs)
    return withNode(judged, step, facts);
  const since = Math.max(fullSince, step?.at ?? 0);
  if (now - since < fullForMs)
    return { ...judged, wait: 'its disks are above the low watermark, for less than an hour' };
  const smallest = Math.min(...disks.map(({ totalBytes }) => totalBytes));
  const awaited = step?.kind === 'volume' && smallest <= step.smallestBytes;
  if (awaited && now - step.at < volumesWithinMs)
    return { ...judged, wait: `its volumes are to grow to ${step.volumeGiB} GiB` };
  const leastGiB = facts.leastGiB ?? 0;
  if (volumeMaxGiB !== undefined && leastGiB < volumeMaxGiB && !awaited) {
    const volumeGiB = nextSize(Math.max(leastGiB, smallest / gib), volumeMaxGiB);
    return {
      ...judged,
      act: { kind: 'volume', groupName: name, volumeGiB },
      step: { kind: 'volume', at: now, volumeGiB, smallestBytes: smallest },
    };
  }
  if (desired >= maxSize) return { ...judged, atMaximum: true };
  return withNode(judged, { kind: 'count', at: now, desired: desired + 1 }, facts);
}

function nextSize(nowGiB: number, mostGiB: number): number {
  const next = Math.ceil(growthFactor * nowGiB);
  return next >= nearShare * mostGiB ? mostGiB : next;
}

function withNode(judged: Judged, step: RoomStep & { readonly kind: 'count' }, { obstacles }: RoomFacts): Judged {
  const [first] = obstacles;
  if (first !== undefined) return { ...judged, wait: `it gets another node when nothing is in the way: ${first}` };
  return { ...judged, act: { kind: 'count', groupName: judged.name, desired: step.desired }, step };
}

function isFull(disks: readonly NodeDisk[], watermark: Watermark | undefined): boolean {
  if (watermark === undefined) return false;
  const free = disks.reduce((sum, { availableBytes }) => sum + availableBytes, 0);
  return free < disks.reduce((sum, disk) => sum + mustStayFree(disk, watermark), 0);
}
