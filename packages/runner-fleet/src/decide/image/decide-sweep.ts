import type { ImageFacts } from '../../model/image.ts';
import { isAlive } from './decide-bake.ts';

/** Leftovers of bakes that are over. */
interface ImageSweep {
  readonly terminate: readonly string[];
  readonly deregister: readonly string[];
  /** Once the images are deregistered. */
  readonly deleteSnapshots: readonly string[];
}

/**
 * Kept are the image of new instances, the one before it, those that instances have, and those of bakes under way, except `ended`, which
 * EC2 may still show as alive. Everything else that has the group's tag goes.
 */
export function decideSweep(facts: ImageFacts, ended?: string): ImageSweep {
  const underWay = new Set(
    facts.instances
      .filter((each) => each.purpose === 'bake' && isAlive(each) && each.bakeId !== ended)
      .map(({ bakeId }) => bakeId),
  );
  const previous = facts.images
    .filter(({ id, promotedAt }) => id !== facts.current && promotedAt !== undefined)
    .sort((a, b) => b.promotedAt! - a.promotedAt!)[0];
  const kept = facts.images.filter(
    ({ id, bakeId }) => id === facts.current || id === previous?.id || facts.inUse.includes(id) || underWay.has(bakeId),
  );
  const keptBakes = new Set([...underWay, ...kept.map(({ bakeId }) => bakeId)]);
  return {
    terminate: facts.instances
      .filter((each) => each.purpose === 'trial' && isAlive(each) && !underWay.has(each.bakeId))
      .map(({ id }) => id),
    deregister: facts.images.filter((image) => !kept.includes(image)).map(({ id }) => id),
    deleteSnapshots: facts.snapshots.filter(({ bakeId }) => !keptBakes.has(bakeId)).map(({ id }) => id),
  };
}
