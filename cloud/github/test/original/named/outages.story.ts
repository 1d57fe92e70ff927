/**
 * `npm run test:runner -- outages`: everything is away in a job until its listener ends, three ways, 20 runs each of GitHub's own runner, side by
 * side, and of the simulation; prints both, and what differs. DROVER_RECORD=1 keeps what the original did for `npm test`.
 */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reasonToSkip } from '../../../src/runner-software/contract/original.test-support.ts';
import { originalPlatform } from '../../../src/runner-software/contract/original-bench.test-support.ts';
import {
  differences,
  figuresOf,
  momentOf,
  type OutageKind,
  type OutageRun,
  outageKinds,
  prepareOutage,
  seeOutage,
} from '../../../src/runner-software/contract/outages.test-support.ts';
import type { RunnerPlatform } from '../../../src/runner-software/contract/runner-bench.test-support.ts';
import { simulatedPlatform } from '../../../src/runner-software/contract/simulated-bench.test-support.ts';

const runs = Number(process.env.DROVER_ROUNDS ?? 20);
const recorded = new URL('../../../src/runner-software/contract/seen-outages.json', import.meta.url);
const reason = reasonToSkip('fast');
const seen: Partial<Record<OutageKind, readonly OutageRun[]>> = {};

/** Outages run side by side; programs of .NET start slowly where many start at once. */
async function all(platform: RunnerPlatform, how: OutageKind): Promise<readonly OutageRun[]> {
  const under: Promise<OutageRun>[] = [];
  for (let run = 0; run < runs; run++) {
    const prepared = await prepareOutage(platform, run + 1);
    under.push(seeOutage(platform, prepared, how, momentOf(run, runs)));
  }
  return await Promise.all(under);
}

const round = (minutes: number) => Math.round(minutes * 100) / 100;
const shown = (values: readonly number[]) => {
  const { median, least, most } = figuresOf(values);
  return `${median.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
};

describe.skipIf(reason !== '')(`outages of GitHub in a job ${reason}`, () => {
  for (const how of outageKinds)
    it(`the simulation ends a job and its listener as GitHub's own runner (fast) does: ${how}, ${runs} runs each`, async () => {
      const original = (await all(originalPlatform('fast'), how)).map(
        ({ step, listener }): OutageRun => ({ step: round(step), listener: round(listener) }),
      );
      const simulated = await all(simulatedPlatform, how);
      seen[how] = original;
      const rows = (['step', 'listener'] as const).map((what) => {
        const [one, other] = [original, simulated].map((each) => each.map((run) => run[what])) as [number[], number[]];
        console.log(`${how}, ${what}, minutes: original (fast) ${shown(one)}, simulation ${shown(other)}`);
        return [what, differences(one, other)];
      });
      if (process.env.DROVER_RECORD === '1' && Object.keys(seen).length === outageKinds.length)
        writeFileSync(recorded, `${JSON.stringify(seen, null, 2)}\n`);

      expect(Object.fromEntries(rows)).toEqual({ step: [], listener: [] });
    });
});
