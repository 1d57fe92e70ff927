import type { Figures } from '../replay/figures.ts';
import type { Comparison } from './comparison.ts';
import { escaped, margin, panelWidth, round, type Section } from './svg-parts.ts';
import { money, waitText } from './text.ts';

const headHeight = 52;
const barHeight = 16;
const nameHeight = 22;
const groupGap = 18;
/** Room right of the longest bar for its value. */
const valueRoom = 84;

interface Bar {
  readonly label: string;
  readonly parts: readonly { readonly value: number; readonly style: string }[];
}

interface Panel {
  readonly title: string;
  readonly legend: readonly { readonly text: string; readonly style: string }[];
  barsOf(figures: Figures): readonly Bar[];
}

const waits: Panel = {
  title: 'Time in the queue',
  legend: [
    { text: 'p50', style: 'p50' },
    { text: 'p95', style: 'p95' },
    { text: 'p99', style: 'p99' },
  ],
  barsOf: ({ waitSeconds: { p50, p95, p99 } }) => [
    { label: waitText(p50), parts: [{ value: p50, style: 'p50' }] },
    { label: waitText(p95), parts: [{ value: p95, style: 'p95' }] },
    { label: waitText(p99), parts: [{ value: p99, style: 'p99' }] },
  ],
};

const costs = (currency: string): Panel => ({
  title: `Estimated cost, ${currency}`,
  legend: [
    { text: 'on-demand', style: 'on-demand' },
    { text: 'spot', style: 'spot' },
    { text: 'volumes', style: 'volumes' },
    { text: 'hibernated', style: 'hibernated' },
  ],
  barsOf: ({ cost, jobs, idleShare }) => [
    {
      label: money(cost.total),
      parts: [
        { value: cost.onDemand, style: 'on-demand' },
        { value: cost.spot, style: 'spot' },
        { value: cost.volumes, style: 'volumes' },
        { value: cost.hibernated, style: 'hibernated' },
      ],
    },
    { label: `idle ${Math.round(idleShare * 100)} %, ${jobs.lost} jobs lost`, parts: [] },
  ],
});

/** Waits and costs side by side. */
export function barsSection({ prices }: Comparison, figures: readonly Figures[]): Section {
  const groupHeight = nameHeight + 3 * barHeight + groupGap;
  const panels = [waits, costs(prices.currency)].map((panel, index) =>
    drawPanel(panel, index * (panelWidth + margin), figures, groupHeight),
  );
  return { height: headHeight + figures.length * groupHeight, body: panels.join('\n') };
}

function drawPanel(panel: Panel, x: number, figures: readonly Figures[], groupHeight: number): string {
  const totals = figures.flatMap((one) => panel.barsOf(one).map(total));
  const scale = (panelWidth - valueRoom) / Math.max(...totals, Number.MIN_VALUE);
  const groups = figures.map((one, index) => {
    const top = headHeight + index * groupHeight;
    const name = `<text class="name" x="${x}" y="${top + 14}">${escaped(one.name)}</text>`;
    return [
      name,
      ...panel.barsOf(one).map((bar, row) => drawBar(bar, x, top + nameHeight + row * barHeight, scale)),
    ].join('\n');
  });
  return [`<text class="name" x="${x}" y="14">${escaped(panel.title)}</text>`, drawLegend(panel, x), ...groups].join(
    '\n',
  );
}

function drawLegend({ legend }: Panel, x: number): string {
  return legend
    .map(({ text, style }, index) => {
      const left = x + index * 100;
      return `<rect class="${style}" x="${left}" y="24" width="10" height="10"/><text class="soft" x="${left + 15}" y="34">${text}</text>`;
    })
    .join('\n');
}

function drawBar(bar: Bar, x: number, y: number, scale: number): string {
  let left = x;
  const rects = bar.parts.map(({ value, style }) => {
    const rect = `<rect class="${style}" x="${round(left)}" y="${y}" width="${round(value * scale)}" height="${barHeight - 4}"/>`;
    left += value * scale;
    return rect;
  });
  const textAt = bar.parts.length === 0 ? left : left + 6;
  return `${rects.join('')}<text class="soft" x="${round(textAt)}" y="${y + 11}">${escaped(bar.label)}</text>`;
}

const total = ({ parts }: Bar): number => parts.reduce((sum, { value }) => sum + value, 0);
