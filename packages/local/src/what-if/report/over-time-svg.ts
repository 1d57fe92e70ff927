import type { Figures } from '../replay/figures.ts';
import type { Comparison } from './comparison.ts';
import { escaped, pageWidth, round, type Section } from './svg-parts.ts';

const left = 40;
const rowHeight = 84;
const rowGap = 26;
const headHeight = 46;
const hourMs = 3_600_000;

const legend = [
  ['busy', 'jobs that run'],
  ['running', 'instances without a job'],
  ['waiting', 'jobs that wait (most at once)'],
] as const;

/** Queue and capacity of each configuration, one below the other, on the same scales. */
export function overTimeSection({ trace }: Comparison, figures: readonly Figures[]): Section {
  const most = Math.max(1, ...figures.flatMap(({ overTime }) => [...overTime.running, ...overTime.waiting]));
  const rows = figures.map((one, index) =>
    drawRow(one, headHeight + index * (rowHeight + rowGap), most, trace.startMs),
  );
  const marks = legend.map(
    ([style, text], index) =>
      `<rect class="${style}" x="${index * 190}" y="24" width="10" height="10"/><text class="soft" x="${index * 190 + 15}" y="34">${text}</text>`,
  );
  const heading = '<text class="name" x="0" y="14">Queue and capacity over time</text>';
  return {
    height: headHeight + figures.length * (rowHeight + rowGap),
    body: [heading, ...marks, ...rows].join('\n'),
  };
}

function drawRow({ name, overTime }: Figures, top: number, most: number, startMs: number): string {
  const { stepMs, waiting, busy, running } = overTime;
  const steps = waiting.length;
  const [base, width] = [top + 18 + rowHeight - 18, pageWidth - left];
  const x = (index: number) => round(left + (index / steps) * width);
  const y = (value: number) => round(base - (value / most) * (rowHeight - 18));
  /** A level for each step. */
  const along = (values: readonly number[]) =>
    values.map((value, index) => `${x(index)},${y(value)} ${x(index + 1)},${y(value)}`).join(' ');
  const area = (values: readonly number[], style: string) =>
    `<polygon class="${style}" points="${left},${base} ${along(values)} ${x(steps)},${base}"/>`;
  const everyHours = steps * stepMs > 48 * hourMs ? 24 : 3;
  const firstMs = Math.ceil(startMs / (everyHours * hourMs)) * everyHours * hourMs;
  const ticks = Array.from(
    { length: Math.max(0, Math.ceil((startMs + steps * stepMs - firstMs) / (everyHours * hourMs))) },
    (_, index) => firstMs + index * everyHours * hourMs,
  ).map((ms) => {
    const at = x((ms - startMs) / stepMs);
    const text = new Date(ms).toISOString();
    return `<line class="grid" x1="${at}" x2="${at}" y1="${top + 18}" y2="${base}"/><text class="soft" x="${at + 3}" y="${base + 13}">${everyHours === 24 ? text.slice(5, 10) : text.slice(11, 16)}</text>`;
  });
  return [
    `<text class="soft" x="${left}" y="${top + 12}">${escaped(name)}</text>`,
    ...ticks,
    area(running, 'running'),
    area(busy, 'busy'),
    `<polyline class="queue" points="${along(waiting)}"/>`,
    `<text class="soft end" x="${left - 6}" y="${top + 26}">${Math.round(most)}</text><text class="soft end" x="${left - 6}" y="${base}">0</text>`,
  ].join('\n');
}
