import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DeployedFleet } from '@drover/stage/fleet';
import { fleetStackName } from '@drover/stage/fleet-template';
import { assemble, type Candidate } from '../apps/drover/src/what-if/assemble.ts';
import { percentile } from '../apps/drover/src/what-if/replay/figures.ts';
import { replay } from '../apps/drover/src/what-if/replay/replay.ts';
import { parseTrace, type Trace } from '../apps/drover/src/what-if/trace.ts';
import { atMost, type Figures, informative } from './figures.ts';

const hourMs = 3_600_000;
const sampleMs = 15_000;
const sizes = { target: 1, maximum: 100 };
const week = fileURLToPath(new URL('../examples/what-if/week.csv', import.meta.url));

/** What ran beyond need in the sample week, and how long jobs waited: with our policies, and with those of release 0.1.0. */
export async function benchOvershoot(): Promise<Figures> {
  const trace = parseTrace(readFileSync(week, 'utf8'), week);
  const ours = await overshootOf(candidate(), trace);
  const before = await overshootOf(asInRelease010(candidate()), trace);
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
  /** Runner-hours beyond min(maximum, running + waiting + target). */
  readonly hours: number;
  readonly p95Seconds: number;
}

async function overshootOf(fleet: Candidate, trace: Trace): Promise<Overshoot> {
  let hours = 0;
  const add = (more: number) => {
    hours += more;
  };
  const watch = (deployed: DeployedFleet) => watchOvershoot(deployed, trace, add);
  const { waitsMs } = await replay(fleet, trace, { seed: 'overshoot', spotReclaimsPerDay: 0, watch });
  rmSync(fleet.assembly, { recursive: true, force: true });
  return {
    hours,
    p95Seconds:
      percentile(
        waitsMs.toSorted((a, b) => a - b),
        95,
      ) / 1000,
  };
}

/** Looks at the fleet four times a minute. An instance that boots counts as a runner: it is paid for. */
function watchOvershoot({ world, clock, codeHost }: DeployedFleet, trace: Trace, add: (hours: number) => void): void {
  const runners = new Set<string>();
  world.observe.onInstanceState(({ id, state }) => {
    if (state === 'pending' || state === 'running') runners.add(id);
    else runners.delete(id);
  });
  const look = () => {
    const { queued, completed, lost } = codeHost.registry.queue.counts;
    const need = Math.min(sizes.maximum, queued - completed - lost + sizes.target);
    add((Math.max(0, runners.size - need) * sampleMs) / hourMs);
    if (clock.now() < trace.endMs) clock.after(sampleMs, look);
  };
  clock.after(trace.startMs - clock.now(), look);
}
