import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesiseFleet } from '@drover/stage/fleet-template';
import { beforeAll, describe, expect, it } from 'vitest';
import { casesOf, findCalls, playCase } from './crash-at-every-call.ts';

describe('crash at every call of the agent and the deregistration function, and with every event disturbed', () => {
  const groupName = 'runners';
  let assembly: string;
  beforeAll(() => {
    const inputs = { groupName, asgMinSize: 1, asgMaxSize: 2, warmPoolMaxSize: 0 };
    assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-crash-')), inputs);
  });

  it('finds the calls by itself and converges whatever happens to each', { timeout: 600_000 }, async () => {
    const { calls, events } = await findCalls({ assembly, groupName }, 1);
    const cases = casesOf(calls, events).filter(({ name }) => !/^runners_(registration|record_metric)/.test(name));
    const broken = [];
    for (const one of cases) {
      const result = await playCase({ assembly, groupName }, one);
      if (result.violations.length > 0) broken.push(result);
    }

    console.log(
      `crash at every call of the agent and the deregistration function, and with every event disturbed: ${calls.length} calls found, ${cases.length} cases played`,
    );
    expect(calls.length).toBeGreaterThan(20);
    expect(broken).toEqual([]);
  });
});
