import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesiseFleet } from '@drover/stage/fleet-template';
import { beforeAll, describe, expect, it } from 'vitest';
import { simulateVersions, versionsInputs } from './runner-versions.ts';

const thorough = process.env.DROVER_THOROUGH === '1';

describe('runner software that keeps itself current', { timeout: 300_000 }, () => {
  const assemble = (asgMaxSize: number) =>
    synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-versions-')), { ...versionsInputs, asgMaxSize });
  let assembly: string;
  beforeAll(() => {
    assembly = assemble(versionsInputs.asgMaxSize);
  });

  it.each([
    ['a fleet', () => assembly] as const,
    ...(thorough
      ? ([['a fleet whose minimum size is its maximum', () => assemble(versionsInputs.asgMinSize)]] as const)
      : []),
  ])('a new release rolls through %s within hours and loses no job', async (_, of) => {
    const options = { seed: 1, assembly: of(), days: 0.5, releaseEveryHours: 12, jobsPerDay: 60 };
    const run = await simulateVersions(options);

    expect(run.lost).toBe(0);
    expect(run.completed).toBeGreaterThan(20);
    expect(Object.keys(run.versions)).toEqual(['2.401.0']);
    expect(run.launches).toBeGreaterThanOrEqual(2 * versionsInputs.asgMinSize);
  });

  it('after two hours in which GitHub calls every version deprecated, every runner is back within 15 minutes', async () => {
    const incident = { atHour: 0.25, hours: 2 };
    const run = await simulateVersions({ seed: 1, assembly, days: 0.1, jobsPerDay: 0, incident });

    expect(run.incident?.backAfterMinutes).toBeLessThanOrEqual(15);
  });
});
