import type { Campaign } from './campaigns.ts';

/** Seeded rolling replacements of a search cluster under load and random faults. */
export const cluster: Campaign = {
  async prepare() {},
  async run(seed) {
    const { simulateRolling } = await import('@drover/simulation/cluster-rolling');
    const { launches, documents, deaths, hours, told, violations, ...counts } = await simulateRolling({ seed });
    return {
      ...counts,
      // What went wrong before helps to read what was violated.
      violations: violations.length === 0 ? [] : [...violations, `misfortunes: ${told.join('; ')}`],
      summary: `${launches} launches, ${documents} documents acknowledged, ${counts.faults} faults (${told.length} misfortunes, ${deaths} runs died), ${hours.toFixed(1)} hours`,
    };
  },
};
