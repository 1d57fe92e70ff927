import { describe, expect, it } from 'vitest';
import { simulateRolling } from './cluster-rolling.ts';

describe('rolling replacements of a search cluster under load and random faults', () => {
  // A reduced number: `npm run campaign -- --scenario cluster` runs more hours with any number of seeds.
  it.each(process.env.DROVER_THOROUGH === '1' ? [201, 202, 203] : [201])(
    'keep every invariant with seed %i',
    { timeout: 600_000 },
    async (seed) => {
      const rolled = await simulateRolling({ seed, hours: 3 });

      const replay = `replay: npx vitest run packages/simulation/src/scenarios/cluster-rolling.test.ts -t 'seed ${seed}'`;
      expect(rolled.violations, `${replay}\n${rolled.told.join('\n')}`).toEqual([]);
      expect(rolled.launches).toBeGreaterThan(12);
      expect(rolled.documents).toBeGreaterThan(500);
    },
  );
});
