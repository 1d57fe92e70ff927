/** A process that measures one week for `overshoot.ts`. */
import type { DeployedFleet } from '@drover/stage/fleet';
import type { Candidate } from '../../packages/local/src/what-if/assemble.ts';
import { replay } from '../../packages/local/src/what-if/replay/replay.ts';
import type { Trace } from '../../packages/local/src/what-if/trace/trace.ts';

const hourMs = 3_600_000;
const sampleMs = 15_000;

/** The measures of need. */
interface Sizes {
  readonly target: number;
  readonly maximum: number;
}

export interface WeekToMeasure {
  readonly fleet: Candidate;
  readonly trace: Trace;
  readonly seed: string;
  readonly sizes: Sizes;
}

export interface MeasuredWeek {
  /** Runner-hours beyond min(maximum, running + waiting + target). */
  readonly hours: number;
  readonly waitsMs: readonly number[];
}

process.once('message', async ({ fleet, trace, seed, sizes }: WeekToMeasure) => {
  let hours = 0;
  const add = (more: number) => {
    hours += more;
  };
  const watch = (deployed: DeployedFleet) => watchOvershoot(deployed, trace, sizes, add);
  const { waitsMs } = await replay(fleet, trace, { seed, spotReclaimsPerDay: 0, watch });
  process.send!({ hours, waitsMs } satisfies MeasuredWeek);
  process.disconnect();
});

/** Looks at the fleet four times a minute. An instance that boots counts as a runner: it is paid for. */
function watchOvershoot(
  { world, clock, codeHost }: DeployedFleet,
  trace: Trace,
  { target, maximum }: Sizes,
  add: (hours: number) => void,
): void {
  const runners = new Set<string>();
  world.observe.onInstanceState(({ id, state }) => {
    if (state === 'pending' || state === 'running') runners.add(id);
    else runners.delete(id);
  });
  const look = () => {
    const { queued, completed, lost } = codeHost.registry.queue.counts;
    const need = Math.min(maximum, queued - completed - lost + target);
    add((Math.max(0, runners.size - need) * sampleMs) / hourMs);
    if (clock.now() < trace.endMs) clock.after(sampleMs, look);
  };
  clock.after(trace.startMs - clock.now(), look);
}
