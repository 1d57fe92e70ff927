import type { GroupImage, ImageFacts, ImageInstance } from '../../model/image.ts';

const minute = 60_000;
/** How long an instance may take to bake, or to try an image. */
const instanceWithinMs = 30 * minute;
/** How long EC2 may take to make an image of an instance. */
const imageWithinMs = 60 * minute;
/** How long EC2 may take to show an instance that it has launched. */
const shownWithinMs = 2 * minute;

/** A bake that this process has begun or found. */
export interface OwnBake {
  readonly bakeId: string;
  /** When it was launched by this process; undefined if it was found. */
  readonly launchedAt?: number;
}

export type BakeStep =
  | { readonly kind: 'launch' }
  | { readonly kind: 'wait'; readonly what: string }
  | { readonly kind: 'create-image'; readonly instance: ImageInstance }
  | { readonly kind: 'launch-trial'; readonly image: GroupImage }
  | { readonly kind: 'promote'; readonly image: GroupImage }
  /** The image is in use: its instances go. The one that baked it is the last, because it is the sign of a bake under way. */
  | { readonly kind: 'finish'; readonly image: GroupImage; readonly terminate: readonly string[] }
  | { readonly kind: 'done'; readonly image: GroupImage }
  /** `instance` is the one whose log says more. */
  | { readonly kind: 'fail'; readonly reason: string; readonly instance?: string };

export const isAlive = ({ state }: ImageInstance): boolean => state !== 'shutting-down' && state !== 'terminated';

/** The bake that is under way: the oldest one, if several processes began one at the same time. */
export const bakeUnderWay = ({ instances }: ImageFacts): ImageInstance | undefined =>
  instances
    .filter((each) => each.purpose === 'bake' && isAlive(each))
    .sort((a, b) => a.launchedAt - b.launchedAt || (a.id < b.id ? -1 : 1))[0];

/** The next step of a bake. Everything is read from EC2's tags and states, so the step of a process that died is found again. */
export function decideBake(facts: ImageFacts, now: number, own?: OwnBake): BakeStep {
  const ofOwn = facts.instances.filter(({ bakeId }) => bakeId === own?.bakeId);
  const bake = own === undefined ? bakeUnderWay(facts) : ofOwn.find((each) => each.purpose === 'bake' && isAlive(each));
  if (bake !== undefined) return ofInstance(facts, bake, now);
  if (own === undefined) return { kind: 'launch' };
  const image = facts.images.find(({ bakeId }) => bakeId === own.bakeId);
  if (image !== undefined && image.id === facts.current) return { kind: 'done', image };
  const seen = ofOwn.find(({ purpose }) => purpose === 'bake');
  if (seen === undefined && own.launchedAt !== undefined && now - own.launchedAt < shownWithinMs)
    return { kind: 'wait', what: 'until EC2 shows the instance' };
  return {
    kind: 'fail',
    reason: `the instance that baked is gone${because(seen?.stateReason)}`,
    ...(seen === undefined ? {} : { instance: seen.id }),
  };
}

function ofInstance(facts: ImageFacts, bake: ImageInstance, now: number): BakeStep {
  const image = facts.images.find(({ bakeId }) => bakeId === bake.bakeId);
  if (image !== undefined) return ofImage(facts, bake, image, now);
  const unfit = failureOf(bake, now, bake.report?.baked, 'the bake');
  if (unfit !== undefined) return { ...unfit, instance: bake.id };
  if (bake.state !== 'stopped') return { kind: 'wait', what: `for ${bake.id} to bake and power off` };
  return { kind: 'create-image', instance: bake };
}

/** Why an instance is no use any more; undefined while it is. */
function failureOf(instance: ImageInstance, now: number, well: boolean | undefined, what: string) {
  const { id, state, report, launchedAt, stateReason } = instance;
  const fail = (reason: string) => ({ kind: 'fail' as const, reason });
  if (well === false) return fail(`${what} failed on ${id}${because(report?.reason)}`);
  if (!isAlive(instance)) return fail(`${what}: ${id} is gone${because(stateReason)}`);
  if (well === true) return undefined;
  if (state === 'stopped') return fail(`${what}: ${id} stopped without a report${because(stateReason)}`);
  if (now - launchedAt > instanceWithinMs)
    return fail(`${what} was not done on ${id} within ${instanceWithinMs / minute} minutes`);
  return undefined;
}

const because = (reason: string | undefined) => (reason === undefined || reason === '' ? '' : `: ${reason}`);

function ofImage(facts: ImageFacts, bake: ImageInstance, image: GroupImage, now: number): BakeStep {
  if (image.state === 'failed') return { kind: 'fail', reason: `EC2 could not make the image ${image.id}` };
  const trials = facts.instances.filter(({ purpose, bakeId }) => purpose === 'trial' && bakeId === bake.bakeId);
  if (facts.current === image.id)
    return { kind: 'finish', image, terminate: [...trials.filter(isAlive), bake].map(({ id }) => id) };
  if (image.state === 'pending')
    return now - image.createdAt > imageWithinMs
      ? { kind: 'fail', reason: `EC2 has not made the image ${image.id} within ${imageWithinMs / minute} minutes` }
      : { kind: 'wait', what: `for the image ${image.id}` };
  const [trial] = trials;
  if (trial === undefined) return { kind: 'launch-trial', image };
  const unfit = failureOf(trial, now, trial.report?.served, 'the trial');
  if (unfit !== undefined && trial.report?.served !== true) return { ...unfit, instance: trial.id };
  return trial.report?.served === true
    ? { kind: 'promote', image }
    : { kind: 'wait', what: `for ${trial.id} to try the image` };
}
