import type { BakeFailure, BakeNote } from '../../model/image.ts';
import { type BakeStep, bakeUnderWay, decideBake } from './decide-bake.ts';
import { type BakeDue, decideDue, type ScheduledFacts } from './decide-due.ts';

const hour = 3_600_000;
/** How long a launch that EC2 refuses is tried again. */
const launchWithinMs = hour;
/** The longest that a bake goes on: every wait is shorter, and an act that never takes effect would be repeated for ever. */
export const longestBakeMs = 3 * hour;

/** The next step of a group whose images are baked by themselves. */
export type ScheduledStep =
  | Extract<BakeStep, { readonly kind: 'wait' | 'create-image' | 'launch-trial' | 'promote' | 'finish' }>
  | { readonly kind: 'begin'; readonly because: string }
  /** A bake was noted, and EC2 has no instance of it. With the same id nothing is launched twice. */
  | { readonly kind: 'launch'; readonly note: BakeNote }
  /** Another process has finished the noted bake. */
  | { readonly kind: 'ended'; readonly note: BakeNote }
  | { readonly kind: 'fail'; readonly note: BakeNote; readonly failure: BakeFailure }
  | { readonly kind: 'rest'; readonly next: BakeDue };

/**
 * A bake that is under way goes on, also one of an operator's; its step is read from EC2, as `drover image bake` reads it. Otherwise the note
 * of the last one says whether it may have died before its launch; when that is settled the next one waits until it is due.
 */
export function decideScheduled(given: ScheduledFacts, now: number): ScheduledStep {
  const { facts, note } = given;
  const bake = bakeUnderWay(facts);
  if (bake !== undefined) {
    const { bakeId, launchedAt } = bake;
    const own = note?.bakeId === bakeId ? note : { bakeId, begunAt: launchedAt };
    const step = scheduled(decideBake(facts, now), own, now);
    return now - launchedAt > longestBakeMs && step.kind !== 'finish'
      ? failed(own, now, { reason: `the bake has taken ${longestBakeMs / hour} hours`, instance: bake.id })
      : step;
  }
  if (note !== undefined && note.ended === undefined) {
    const step = decideBake(facts, now, { bakeId: note.bakeId, launchedAt: note.begunAt });
    const seen = facts.instances.some(({ bakeId }) => bakeId === note.bakeId);
    if (step.kind !== 'fail' || seen) return scheduled(step, note, now);
    if (now - note.begunAt < launchWithinMs) return { kind: 'launch', note };
    return failed(note, now, { reason: `EC2 launched no instance${note.refused ? `: ${note.refused}` : ''}` });
  }
  const next = decideDue(given);
  // An instance without the runner software would wait for it, and its time runs.
  const isReady = given.mayLaunch && given.wanted.runner !== undefined;
  return next.at <= now && isReady ? { kind: 'begin', because: next.because } : { kind: 'rest', next };
}

function scheduled(step: BakeStep, note: BakeNote, now: number): ScheduledStep {
  switch (step.kind) {
    case 'launch':
      return { kind: 'launch', note };
    case 'done':
      return { kind: 'ended', note };
    case 'fail': {
      const { kind: _, ...failure } = step;
      return failed(note, now, failure);
    }
    default:
      return step;
  }
}

const failed = (note: BakeNote, now: number, failure: Omit<BakeFailure, 'at'>): ScheduledStep => ({
  kind: 'fail',
  note,
  failure: { at: now, ...failure },
});
