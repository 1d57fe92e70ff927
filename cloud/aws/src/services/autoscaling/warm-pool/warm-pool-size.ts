/**
 * How many instances a warm pool holds: what the prepared capacity leaves beside the group's desired capacity,
 * and never fewer than its minimum size (Warm pool size; metric WarmPoolDesiredCapacity).
 */
export function warmPoolSize(facts: {
  readonly minSize: number;
  /** MaxGroupPreparedCapacity, which counts group plus pool; the group's maximum size where it is not set. */
  readonly preparedCapacity: number;
  readonly desiredCapacity: number;
}): number {
  return Math.max(facts.minSize, facts.preparedCapacity - facts.desiredCapacity, 0);
}
