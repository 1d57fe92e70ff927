import type { FleetSample, Incident } from '@drover/observation/api';
import uPlot from 'uplot';
import { timeOfDay } from '../words.ts';

type Layer = 'busy' | 'idle' | 'booting' | 'draining' | 'away';
/** From the bottom up. */
const layers: readonly Layer[] = ['busy', 'idle', 'booting', 'draining', 'away'];

export const describe = (last: FleetSample | undefined): string =>
  last === undefined
    ? 'nothing yet'
    : `${last.busy} busy, ${last.idle} idle, ${last.booting} booting, ${last.draining} draining, ${last.away} not working${last.queued === undefined ? '' : `, ${last.queued} queued`}; desired ${last.desired} of at most ${last.max}`;

/** Times, each layer with all below it (the highest first, so that lower ones are painted over it), desired, max, queued. */
export function dataOf(history: readonly FleetSample[]): uPlot.AlignedData {
  const heights = layers.map((_, top) =>
    history.map((sample) => layers.slice(0, top + 1).reduce((sum, layer) => sum + (sample[layer] ?? 0), 0)),
  );
  return [
    history.map(({ at }) => at / 1_000),
    ...heights.reverse(),
    history.map(({ desired }) => desired),
    history.map(({ max }) => max),
    history.map(({ queued }) => queued ?? null),
  ];
}

/** A label says hours and minutes: two within a minute would be alike. */
const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 240].map((minutes) => minutes * 60);

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export function optionsFor(
  size: { width: number; height: number },
  incidents: () => readonly Incident[],
): uPlot.Options {
  const axis = {
    stroke: () => colour('soft'),
    grid: { stroke: () => colour('line'), width: 1 },
    font: '12px Inter, system-ui',
  };
  const whole = (_: uPlot, splits: number[]) => splits.map((split) => (Number.isInteger(split) ? String(split) : ''));
  const times = (_: uPlot, splits: number[]) => splits.map((at) => timeOfDay(at * 1_000).slice(0, 5));
  const steps = uPlot.paths.stepped!({ align: 1 });
  return {
    ...size,
    legend: { show: false },
    cursor: { y: false },
    tzDate: (at) => new Date(at * 1_000 + new Date(at * 1_000).getTimezoneOffset() * 60_000),
    scales: {
      y: { range: (_, __, most) => [0, Math.max(4, most + 1)] },
      queue: { range: (_, __, most) => [0, Math.max(4, most + 1)] },
    },
    axes: [
      { ...axis, values: times, incrs: timeSteps },
      { ...axis, size: 34, values: whole },
      { ...axis, scale: 'queue', side: 1, size: 34, grid: { show: false }, values: whole },
    ],
    series: [
      {},
      ...[...layers].reverse().map((layer) => ({
        label: layer,
        fill: () => colour(layer),
        stroke: () => colour(layer),
        width: 0,
        points: { show: false },
        paths: steps,
      })),
      { label: 'desired', stroke: () => colour('ink'), width: 1.5, points: { show: false }, paths: steps },
      { label: 'max', stroke: () => colour('soft'), width: 1, dash: [4, 4], points: { show: false }, paths: steps },
      {
        label: 'queued',
        scale: 'queue',
        stroke: () => colour('queue'),
        width: 1.5,
        points: { show: false },
        paths: steps,
      },
    ],
    hooks: { drawClear: [(plot) => bands(plot, incidents())] },
  };
}

/** A band for as long as a fault lasted, a line for an act. */
function bands({ ctx, bbox, valToPos }: uPlot, incidents: readonly Incident[]): void {
  ctx.save();
  for (const { kind, openedAt, endedAt } of incidents) {
    const from = Math.max(bbox.left, valToPos(openedAt / 1_000, 'x', true));
    const to = endedAt === undefined ? bbox.left + bbox.width : valToPos(endedAt / 1_000, 'x', true);
    if (to < bbox.left || from > bbox.left + bbox.width) continue;
    ctx.fillStyle = colour(kind === 'fault' ? 'fault-band' : 'act-band');
    ctx.fillRect(from, bbox.top, Math.max(2, to - from), bbox.height);
  }
  ctx.restore();
}
