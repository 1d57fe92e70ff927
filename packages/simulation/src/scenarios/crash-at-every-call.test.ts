import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesiseFleet } from '@drover/stage/fleet-template';
import { beforeAll, describe, expect, it } from 'vitest';
import { allCases, findCalls, oneCaseACall, oneRunnerInputs, playCase } from './crash-at-every-call.ts';

describe('a fault at every call of the agent and the functions in the life of one runner, and with every event disturbed', () => {
  const { groupName } = oneRunnerInputs;
  let assembly: string;
  beforeAll(() => {
    assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-crash-')), oneRunnerInputs);
  });

  it('the calls are found by themselves, and the fleet converges whatever happens to each', {
    timeout: 600_000,
  }, async () => {
    const found = await findCalls({ assembly, groupName });
    // One way for each call, another one each time: `npm run campaign -- --scenario crash` plays all of them.
    const cases = oneCaseACall(found);
    const results = [];
    for (const one of cases) results.push(await playCase({ assembly, groupName }, one));

    const { calls, events } = found;
    console.log(
      `crash at every call: ${calls.length} calls found, ${cases.length} of ${allCases(found).length} cases played`,
    );
    expect(calls.length).toBeGreaterThan(20);
    expect(cases).toHaveLength(calls.length + 3 * events.length);
    expect(results.filter(({ violations }) => violations.length > 0)).toEqual([]);
  });
});
