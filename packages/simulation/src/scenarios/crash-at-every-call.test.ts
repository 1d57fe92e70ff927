import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesiseFleet } from '@drover/stage/fleet-template';
import { expect, it } from 'vitest';
import { allCases, type CrashStory, crashStories, findCalls, oneCaseACall, playCase } from './crash-at-every-call.ts';

it.each(Object.entries<CrashStory>(crashStories))(
  'whatever happens to each call of the agent and the functions, and to each event, in the story %s, the fleet converges',
  { timeout: 600_000 },
  async (name, story) => {
    const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-crash-')), story.inputs);
    const found = await findCalls({ story, assembly });
    // One way for each call, another one each time: `npm run campaign -- --scenario crash` plays all of them.
    const cases = oneCaseACall(found);
    const results = [];
    for (const one of cases) results.push(await playCase({ story, assembly }, one));

    const { calls, events } = found;
    console.log(
      `crash at every call of ${name}: ${calls.length} calls found, ${cases.length} of ${allCases(found).length} cases played`,
    );
    expect(calls.length).toBeGreaterThan(20);
    expect(cases).toHaveLength(calls.length + 3 * events.length);
    expect(results.filter(({ violations }) => violations.length > 0)).toEqual([]);
  },
);
