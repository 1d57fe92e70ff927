import { metrics } from '@drover/core/names/search-cluster';

const dayMs = 86_400_000;

/** The days until the first of a node's certificates ends, negative when one has; nothing where none is known. */
export function certificateDays(endsAt: readonly number[], now: number): Readonly<Record<string, number>> {
  if (endsAt.length === 0) return {};
  return { [metrics.certificateDays]: (Math.min(...endsAt) - now) / dayMs };
}
