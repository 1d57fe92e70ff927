import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesiseFleet } from '@drover/stage/fleet-template';
import { describe, expect, it } from 'vitest';
import { allCases, type CrashStory, crashStories, findCalls, oneCaseACall, playCase } from './crash-at-every-call.ts';

const thorough = process.env.DROVER_THOROUGH === '1';

describe('a fault at every call of the agent and the functions, and with every event disturbed', () => {
  /** Calls that an earlier story has played are left to the campaign. */
  const played = new Set<string>();

  it.each(Object.entries<CrashStory>(crashStories))(
    'in the story %s the calls are found by themselves, and the fleet converges whatever happens to each',
    { timeout: 600_000 },
    async (name, story) => {
      const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-crash-')), story.inputs);
      const { calls, events } = await findCalls({ story, assembly });
      const fresh = calls.filter(({ caller, service, operation }) => !played.has(`${caller} ${service} ${operation}`));
      for (const { caller, service, operation } of calls) played.add(`${caller} ${service} ${operation}`);
      const found = { calls: fresh, events: played.size > calls.length ? [] : events };
      // One way for each call, another one each time: `npm run campaign -- --scenario crash` plays all of them, `npm run test:thorough` every
      // call, and `npm test` every second one.
      const every = oneCaseACall(found);
      const cases = every.filter((_, index) => thorough || index % 2 === 0);
      const results = [];
      for (const one of cases) results.push(await playCase({ story, assembly }, one));

      console.log(
        `crash at every call of ${name}: ${calls.length} calls found, ${cases.length} of ${allCases({ calls, events }).length} cases played`,
      );
      expect(calls.length).toBeGreaterThan(20);
      expect(fresh.length).toBeGreaterThan(10);
      expect(every).toHaveLength(fresh.length + 3 * found.events.length);
      expect(results.filter(({ violations }) => violations.length > 0)).toEqual([]);
    },
  );
});
