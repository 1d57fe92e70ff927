import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { assemble, type Candidate } from '../../apps/drover/src/what-if/assemble.ts';
import { readConfigurations } from '../../apps/drover/src/what-if/configurations.ts';
import { readPrices } from '../../apps/drover/src/what-if/prices.ts';
import { figuresOf, type Figures as WeekFigures } from '../../apps/drover/src/what-if/replay/figures.ts';
import type { Replay } from '../../apps/drover/src/what-if/replay/replay.ts';
import { replayApart } from '../../apps/drover/src/what-if/replay/replay-apart.ts';
import { parseTrace } from '../../apps/drover/src/what-if/trace/trace.ts';
import { buildDrover } from '../../scripts/build/drover.ts';
import { atMost, type Figures, informative } from '../figures.ts';

const examples = fileURLToPath(new URL('../../examples/what-if/', import.meta.url));
const names = ['jobs', 'larger-idle-target', 'warm-pool'] as const;

/** One week's p95 differs from seed to seed: by how boots fall. */
const seeds = ['1', '2'];

/** The sample week on a fleet that scales on jobs, and on two that keep idle runners: the examples of `drover what-if`. */
export async function benchModes(): Promise<Figures> {
  await buildDrover();
  const trace = parseTrace(readFileSync(`${examples}week.csv`, 'utf8'), 'week.csv');
  const fleets = readConfigurations(names.map((name) => `${examples}${name}.yaml`)).map((configuration) =>
    assemble(configuration, 'drover'),
  );
  const waiting = seeds.flatMap((seed) => fleets.map((fleet, index) => ({ index, fleet, seed })));
  const measured: Replay[][] = fleets.map(() => []);
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { index, fleet, seed } = next;
      const week = await replayApart(fleet, trace, { seed, spotReclaimsPerDay: 0 });
      measured[index]!.push(week);
      const { waitSeconds, runnerHours } = figuresOf(fleet, week, readPrices());
      const hours = Math.round(runnerHours.total);
      console.error(`seed ${seed}, ${fleet.name}: p95 ${Math.round(waitSeconds.p95)} s, ${hours} hours`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  for (const { assembly } of fleets) rmSync(assembly, { recursive: true, force: true });
  const [jobs, larger, warm] = fleets.map((fleet, index) => together(fleet, measured[index]!)) as [Week, Week, Week];
  return {
    'fleet.modes.jobs_wait_p95': atMost(jobs.p95, Math.min(larger.p95, warm.p95), 'seconds'),
    'fleet.modes.larger_idle_target_wait_p95': informative(larger.p95, 'seconds'),
    'fleet.modes.warm_pool_wait_p95': informative(warm.p95, 'seconds'),
    'fleet.modes.jobs_runner_hours': atMost(jobs.hours, 0.6 * Math.min(larger.hours, warm.hours), 'hours a week'),
    'fleet.modes.larger_idle_target_runner_hours': informative(larger.hours, 'hours a week'),
    'fleet.modes.warm_pool_runner_hours': informative(warm.hours, 'hours a week'),
    'fleet.modes.jobs_warm_pool_hours': informative(jobs.hibernated, 'hours a week'),
    'fleet.modes.warm_pool_warm_pool_hours': informative(warm.hibernated, 'hours a week'),
    'fleet.modes.jobs_lost': atMost(jobs.lost, 0, 'jobs'),
  };
}

interface Week {
  /** Of the waits of all seeds together. */
  readonly p95: number;
  /** Means of all seeds; boots are in them. */
  readonly hours: number;
  readonly hibernated: number;
  readonly lost: number;
}

function together(fleet: Candidate, weeks: readonly Replay[]): Week {
  const each = weeks.map((week) => figuresOf(fleet, week, readPrices()));
  const mean = (of: (figures: WeekFigures) => number) => each.reduce((sum, one) => sum + of(one), 0) / each.length;
  const all = { ...weeks[0]!, waitsMs: weeks.flatMap(({ waitsMs }) => waitsMs) };
  return {
    p95: figuresOf(fleet, all, readPrices()).waitSeconds.p95,
    hours: mean(({ runnerHours }) => runnerHours.total),
    hibernated: mean(({ warmPoolHours }) => warmPoolHours),
    lost: each.reduce((sum, { jobs }) => sum + jobs.lost + jobs.unfinished, 0),
  };
}
