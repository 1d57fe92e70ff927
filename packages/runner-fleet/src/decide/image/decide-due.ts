import { dayMs } from '@drover/core';
import type { BakeFailure, BakeNote, ImageFacts, WantedImage } from '../../model/image.ts';

/** At most one bake of a group begins by itself in this time, whatever became of the last one. */
export const leastBetweenMs = dayMs;

/** When the next bake begins by itself, and why. */
export interface BakeDue {
  readonly at: number;
  readonly because: string;
}

/** Everything by which a group's next bake is decided. */
export interface ScheduledFacts {
  readonly facts: ImageFacts;
  readonly wanted: WantedImage;
  /** Whether the group may have an instance. */
  readonly mayLaunch: boolean;
  readonly note: BakeNote | undefined;
  /** After how many days a new image is baked. */
  readonly days: number;
}

/** A new image is due when the newest one has become old, or is made of something that has changed; but never twice in a day. */
export function decideDue({ facts, wanted, note, days }: Omit<ScheduledFacts, 'mayLaunch'>): BakeDue {
  const { at, because } = wish(facts, wanted, days);
  const earliest = note === undefined ? 0 : note.begunAt + leastBetweenMs;
  return { at: Math.max(at, earliest), because };
}

function wish({ images }: ImageFacts, wanted: WantedImage, days: number): BakeDue {
  const used = images.filter(({ promotedAt }) => promotedAt !== undefined);
  // Compared with the newest one: an operator who goes back to the one before, or to the base image, wants no new one at once.
  const newest = [...used].sort((a, b) => b.createdAt - a.createdAt)[0];
  if (newest === undefined) return { at: 0, because: 'no image has been baked yet' };
  if (newest.baseImage !== wanted.baseImage)
    return { at: 0, because: `the base image is ${wanted.baseImage}, and the newest one is of ${newest.baseImage}` };
  if (isOther(newest.template, wanted.template))
    return { at: 0, because: 'the launch template has changed since the newest image was baked' };
  if (isOther(newest.runner, wanted.runner))
    return { at: 0, because: `the runner software is ${wanted.runner}, and the newest image has ${newest.runner}` };
  const since = Math.max(...used.map(({ promotedAt }) => promotedAt!));
  return { at: since + days * dayMs, because: `an image is baked every ${days} days` };
}

const isOther = (has: string | undefined, wanted: string | undefined) =>
  has !== undefined && wanted !== undefined && has !== wanted;

/** Why the last bake failed; undefined when it did not, or new instances have taken another image since. */
export function bakeFailure(
  { images }: Pick<ImageFacts, 'images'>,
  note: BakeNote | undefined,
): BakeFailure | undefined {
  const failure = note?.failure;
  if (failure === undefined) return undefined;
  return images.some(({ promotedAt = 0 }) => promotedAt > failure.at) ? undefined : failure;
}
