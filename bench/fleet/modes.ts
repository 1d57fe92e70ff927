import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { assemble } from '../../packages/local/src/what-if/assemble.ts';
import { readConfigurations } from '../../packages/local/src/what-if/configurations.ts';
import { figuresOf, type Figures as WeekFigures } from '../../packages/local/src/what-if/replay/figures.ts';
import { replayApart } from '../../packages/local/src/what-if/replay/replay-apart.ts';
import { parseTrace } from '../../packages/local/src/what-if/trace/trace.ts';
import { readPrices } from '../../packages/operator/src/fleet/prices.ts';
import { buildLocal } from '../../scripts/build/drover.ts';
import { atMost, type Figures, informative } from '../figures.ts';

const examples = fileURLToPath(new URL('../../examples/what-if/', import.meta.url));
const names = ['jobs', 'larger-idle-target', 'warm-pool'] as const;

/** The sample week on a fleet that scales on jobs, and on two that keep idle runners: the examples of `drover what-if`. */
export async function benchModes(): Promise<Figures> {
  await buildLocal();
  const trace = parseTrace(readFileSync(`${examples}week.csv`, 'utf8'), 'week.csv');
  const fleets = readConfigurations(names.map((name) => `${examples}${name}.yaml`)).map((configuration) =>
    assemble(configuration, 'drover'),
  );
  const weeks: WeekFigures[] = [];
  const waiting = [...fleets.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, fleet] = next;
      const week = figuresOf(
        fleet,
        await replayApart(fleet, trace, { seed: '1', spotReclaimsPerDay: 0 }),
        readPrices(),
      );
      weeks[index] = week;
      const { waitSeconds, runnerHours } = week;
      console.error(`${fleet.name}: p95 ${Math.round(waitSeconds.p95)} s, ${Math.round(runnerHours.total)} hours`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  for (const { assembly } of fleets) rmSync(assembly, { recursive: true, force: true });
  const [jobs, ...others] = weeks as [WeekFigures, ...WeekFigures[]];
  const least = (of: (week: WeekFigures) => number) => Math.min(...others.map(of));
  const named = (figure: string, unit: string, of: (week: WeekFigures) => number) =>
    Object.fromEntries(
      others.map((week) => [`fleet.modes.${week.name.replaceAll('-', '_')}_${figure}`, informative(of(week), unit)]),
    );
  const [wait, hours] = [(week: WeekFigures) => week.waitSeconds.p95, (week: WeekFigures) => week.runnerHours.total];
  const pool = (week: WeekFigures) => week.warmPoolHours;
  return {
    'fleet.modes.jobs_wait_p95': atMost(wait(jobs), Math.floor(least(wait)), 'seconds'),
    ...named('wait_p95', 'seconds', wait),
    // Boots are in them.
    'fleet.modes.jobs_runner_hours': atMost(hours(jobs), Math.floor(0.6 * least(hours)), 'hours a week'),
    ...named('runner_hours', 'hours a week', hours),
    'fleet.modes.jobs_warm_pool_hours': informative(pool(jobs), 'hours a week'),
    ...named('warm_pool_hours', 'hours a week', pool),
    'fleet.modes.jobs_lost': atMost(jobs.jobs.lost + jobs.jobs.unfinished, 0, 'jobs'),
  };
}
