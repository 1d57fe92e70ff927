import { fork } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fleetStackName } from '@drover/stage/fleet-template';
import { assemble, type Candidate } from '../../packages/local/src/what-if/assemble.ts';
import { percentile } from '../../packages/local/src/what-if/replay/figures.ts';
import { parseTrace } from '../../packages/local/src/what-if/trace/trace.ts';
import { bundleWorker } from '../../scripts/campaign/bundle-worker.ts';
import { atMost, type Figures, informative } from '../figures.ts';
import type { MeasuredWeek, WeekToMeasure } from './overshoot-week.ts';

const sizes = { target: 1, maximum: 100 };
const week = fileURLToPath(new URL('../../examples/what-if/week.csv', import.meta.url));

/** One week's p95 differs by 20 s from seed to seed: by when in a minute the metric is published, and by how boots fall. */
const seeds = ['1', '2', '3', '4'];

/**
 * Instances beyond need in the sample week, and how long jobs waited: with our policies, and with those of release
 * 0.1.0, with the same seeds. Eight weeks, a process a core: about ten minutes of processor time.
 */
export async function benchOvershoot(): Promise<Figures> {
  const trace = parseTrace(readFileSync(week, 'utf8'), week);
  const fleets = [candidate(), asInRelease010(candidate())];
  const worker = await bundleWorker('bench/fleet/overshoot-week.ts');
  const waiting = seeds.flatMap((seed) => fleets.map((fleet, index) => ({ index, to: { fleet, trace, seed, sizes } })));
  const measured: MeasuredWeek[][] = fleets.map(() => []);
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const measuredWeek = await measure(worker, next.to);
      measured[next.index]!.push(measuredWeek);
      const { hours, p95Seconds } = overshootOf([measuredWeek]);
      const policies = next.index === 0 ? 'ours' : '0.1.0';
      console.error(`seed ${next.to.seed}, ${policies}: ${Math.round(hours)} hours, p95 ${Math.round(p95Seconds)} s`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  for (const { assembly } of fleets) rmSync(assembly, { recursive: true, force: true });
  const [ours, before] = measured.map(overshootOf) as [Overshoot, Overshoot];
  return {
    'fleet.overshoot': atMost(ours.hours, before.hours / 2, 'hours'),
    'fleet.overshoot_0_1_0': informative(before.hours, 'hours'),
    'fleet.overshoot_wait_p95': atMost(ours.p95Seconds, before.p95Seconds * 1.1, 'seconds'),
    'fleet.overshoot_wait_p95_0_1_0': informative(before.p95Seconds, 'seconds'),
  };
}

const candidate = (): Candidate =>
  assemble(
    {
      name: 'week',
      inputs: {
        groupName: 'runners',
        asgMinSize: 2,
        asgMaxSize: sizes.maximum,
        idleRunnersTargetCount: sizes.target,
        warmPoolMaxSize: 0,
      },
    },
    'drover',
  );

interface Template {
  readonly Resources: Record<string, { Properties: Record<string, unknown> }>;
}

/** The same template with the step policies of release 0.1.0: without an idle runner the group grows by 300 %. */
function asInRelease010(changed: Candidate): Candidate {
  const file = join(changed.assembly, `${fleetStackName}.template.json`);
  const template = JSON.parse(readFileSync(file, 'utf8')) as Template;
  const find = (part: string) => Object.entries(template.Resources).find(([id]) => id.includes(part))!;
  const [growthId, growth] = find('ScalingGrowth');
  const [noneId] = find('ScalingNone');
  const [, low] = find('ScalingLow');
  delete template.Resources[noneId];
  Object.assign(growth.Properties, {
    AdjustmentType: 'PercentChangeInCapacity',
    MinAdjustmentMagnitude: 1,
    EstimatedInstanceWarmup: 120,
    StepAdjustments: [{ MetricIntervalUpperBound: 0, ScalingAdjustment: 300 }],
  });
  low.Properties.AlarmActions = [...(low.Properties.AlarmActions as object[]), { Ref: growthId }];
  writeFileSync(file, JSON.stringify(template));
  return changed;
}

interface Overshoot {
  /** The mean of all seeds. */
  readonly hours: number;
  /** Of the waits of all seeds together. */
  readonly p95Seconds: number;
}

const overshootOf = (weeks: readonly MeasuredWeek[]): Overshoot => ({
  hours: weeks.reduce((sum, { hours }) => sum + hours, 0) / weeks.length,
  p95Seconds:
    percentile(
      weeks.flatMap(({ waitsMs }) => waitsMs).sort((a, b) => a - b),
      95,
    ) / 1000,
});

/** In a process of its own, in plain JavaScript. */
function measure(worker: string, week: WeekToMeasure): Promise<MeasuredWeek> {
  const child = fork(worker, { execArgv: ['--max-semi-space-size=64'], serialization: 'advanced' });
  child.send(week);
  return new Promise((resolve, reject) => {
    child.once('message', (measured: MeasuredWeek) => resolve(measured));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the process of seed ${week.seed} ended with ${code}`)));
  });
}
