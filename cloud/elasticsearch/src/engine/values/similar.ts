import { editDistance } from '@drover/core/edit-distance';

/** Names that resemble `name`, the most alike first; `least` is the share of characters that must agree. */
export function similar(name: string, known: readonly string[], least = 0.5): string[] {
  return known
    .map((candidate) => ({
      candidate,
      score: 1 - editDistance(name, candidate) / Math.max(name.length, candidate.length),
    }))
    .filter(({ score }) => score > least)
    .sort((a, b) => b.score - a.score)
    .map(({ candidate }) => candidate);
}
