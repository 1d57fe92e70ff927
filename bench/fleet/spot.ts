import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DeployedFleet } from '@drover/stage/fleet';
import { assemble, type Candidate } from '../../packages/local/src/what-if/assemble.ts';
import { percentile } from '../../packages/local/src/what-if/replay/figures.ts';
import { type Replay, replay } from '../../packages/local/src/what-if/replay/replay.ts';
import { parseTrace, type Trace } from '../../packages/local/src/what-if/trace/trace.ts';
import { atMost, type Figures, informative } from '../figures.ts';

const week = fileURLToPath(new URL('../../examples/what-if/week.csv', import.meta.url));
const hourMs = 3_600_000;
const days = 7;
/** Each day spot has no capacity for so long, in the hours with most jobs. */
const outage = { fromHour: 9, hours: 4 };
/** What EC2 takes back of each instance that runs all day. */
const reclaimsPerDay = 2;
/** A launch that is refused is noticed within seconds; then another one boots. */
const oneLaunchMoreSeconds = 360;

/** The sample week on spot instances that are taken back and that are not to be had for hours, with and without the on-demand fallback. */
export async function benchSpot(): Promise<Figures> {
  const trace = parseTrace(readFileSync(week, 'utf8'), week);
  const measured: Measured[] = [];
  for (const onDemandFallback of [true, false]) measured.push(await measure(trace, onDemandFallback));
  const [ours, before] = measured as [Measured, Measured];
  return {
    'fleet.spot.longest_wait': atMost(ours.longestWait, oneLaunchMoreSeconds, 'seconds'),
    'fleet.spot.longest_wait_without': informative(before.longestWait, 'seconds'),
    'fleet.spot.wait_p95': informative(ours.p95, 'seconds'),
    'fleet.spot.wait_p95_without': informative(before.p95, 'seconds'),
    'fleet.spot.beyond_maximum': atMost(ours.beyondMaximum, 0, 'instances'),
    'fleet.spot.on_demand_share': informative(ours.onDemandShare, 'of the hours'),
    'fleet.spot.lost': informative(ours.lost, 'jobs'),
    'fleet.spot.lost_without': informative(before.lost, 'jobs'),
    'fleet.spot.unfinished': atMost(ours.unfinished, 0, 'jobs'),
  };
}

interface Measured {
  readonly longestWait: number;
  readonly p95: number;
  readonly beyondMaximum: number;
  readonly onDemandShare: number;
  readonly lost: number;
  readonly unfinished: number;
}

const maximum = 60;

async function measure(trace: Trace, onDemandFallback: boolean): Promise<Measured> {
  const fleet = candidate(onDemandFallback);
  let beyondMaximum = 0;
  const watch = (deployed: DeployedFleet) => {
    withoutSpot(deployed, trace);
    deployed.world.engine.journal.subscribe(({ kind, source }) => {
      if (source !== 'aws.autoscaling' || kind !== 'transition') return;
      beyondMaximum = Math.max(beyondMaximum, (deployed.group()?.desiredCapacity ?? 0) - maximum);
    });
  };
  const played = await replay(fleet, trace, { seed: '1', spotReclaimsPerDay: reclaimsPerDay, watch });
  rmSync(fleet.assembly, { recursive: true, force: true });
  const waits = played.waitsMs.map((wait) => wait / 1000).sort((a, b) => a - b);
  const measured = {
    longestWait: waits.at(-1) ?? 0,
    p95: percentile(waits, 95),
    beyondMaximum,
    onDemandShare: onDemandShareOf(played),
    lost: played.jobs.lost,
    unfinished: trace.jobs.length - played.waitsMs.length,
  };
  console.error(`${fleet.name}: ${JSON.stringify(measured)}`);
  return measured;
}

function onDemandShareOf({ usage: { runningHours } }: Replay): number {
  const sum = (hours: ReadonlyMap<string, number>) => [...hours.values()].reduce((all, each) => all + each, 0);
  const [onDemand, spot] = [sum(runningHours.onDemand), sum(runningHours.spot)];
  return onDemand / Math.max(1, onDemand + spot);
}

const candidate = (onDemandFallback: boolean): Candidate =>
  assemble(
    {
      name: onDemandFallback ? 'with-fallback' : 'spot-alone',
      inputs: {
        groupName: 'runners',
        scalingMode: 'jobs',
        asgMinSize: 0,
        asgMaxSize: maximum,
        idleRunnersTargetCount: 0,
        warmPoolMaxSize: 0,
        instanceTypes: ['t3a.medium', 't3.medium'],
        onDemandBaseCapacity: 0,
        ...(onDemandFallback ? { onDemandFallback } : {}),
      },
    },
    'drover',
  );

/** The subject of a launch begins with the group's name, so that this is about the group of spot instances alone. */
function withoutSpot({ world }: DeployedFleet, { startMs }: Trace): void {
  for (let day = 0; day < days; day += 1) {
    const fromMs = startMs - (startMs % (24 * hourMs)) + (day * 24 + outage.fromHour) * hourMs;
    world.engine.faults.add({
      service: 'autoscaling',
      operation: 'Launch',
      subject: 'runners ',
      effect: { kind: 'error' },
      fromMs,
      untilMs: fromMs + outage.hours * hourMs,
    });
  }
}
