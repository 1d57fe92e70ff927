import { type BakeDue, bakeFailure, decideDue, type ImageFacts, type ScheduledImagePorts } from '@drover/runner-fleet';

/** The bakes that a fleet makes by itself, for one of its groups. */
export interface BakeSchedule {
  /** Undefined while one is under way. */
  readonly next?: BakeDue;
  readonly lastFailure?: { readonly at: number; readonly reason: string; readonly instance?: string };
}

/** When the function `<asg>_image` bakes next, and why its last bake failed. */
export async function readSchedule(
  ports: Pick<ScheduledImagePorts, 'notes' | 'wanted'>,
  facts: ImageFacts,
  days: number,
): Promise<BakeSchedule> {
  const [note, wanted] = await Promise.all([ports.notes.read(), ports.wanted()]);
  const isBaking =
    facts.instances.some(({ purpose, state }) => purpose === 'bake' && state !== 'terminated') ||
    (note !== undefined && note.ended === undefined);
  const failure = bakeFailure(facts, note);
  return {
    ...(isBaking ? {} : { next: decideDue({ facts, wanted, note, days }) }),
    ...(failure === undefined ? {} : { lastFailure: failure }),
  };
}

/** The same for people. */
export function scheduleLines({ next, lastFailure }: BakeSchedule, now: number): string[] {
  const at = (time: number) => new Date(time).toISOString();
  const when =
    next === undefined
      ? 'a bake is under way'
      : `the next bake begins ${next.at <= now ? 'within minutes' : `on ${at(next.at)}`}: ${next.because}`;
  if (lastFailure === undefined) return [when];
  return [`the last bake failed on ${at(lastFailure.at)}: ${lastFailure.reason}`, when];
}
