import type { PriceTable } from '../prices.ts';
import type { Figures } from '../replay/figures.ts';
import { money, waitText } from './text.ts';

const panelWidth = 470;
const margin = 24;
const headHeight = 96;
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

/** Light or dark as the reader's; every part has a colour of its own. */
const styles = `svg{--ink:#1b1f24;--soft:#57606a;--page:#ffffff;--p50:#c6b3f5;--p95:#8250df;--p99:#4c2889;--on-demand:#0969da;--spot:#1a7f37;--volumes:#8c959f;--hibernated:#bc4c00;font:13px system-ui,sans-serif}
@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--soft:#9da7b3;--page:#0d1117;--p50:#6b5a94;--p95:#a371f7;--p99:#dbc7ff;--on-demand:#4493f8;--spot:#3fb950;--volumes:#7d8590;--hibernated:#f0883e}}
text{fill:var(--ink)}.soft{fill:var(--soft);font-size:12px}.head{font-size:16px;font-weight:600}.name{font-weight:600}
${['p50', 'p95', 'p99', 'on-demand', 'spot', 'volumes', 'hibernated'].map((part) => `.${part}{fill:var(--${part})}`).join('')}`;

/** Waits and costs side by side; follows the reader's light or dark mode. */
export function comparisonSvg(title: string, prices: PriceTable, figures: readonly Figures[]): string {
  const groupHeight = nameHeight + 3 * barHeight + groupGap;
  const height = headHeight + figures.length * groupHeight + margin + 12;
  const width = 2 * panelWidth + 3 * margin;
  const panels = [waits, costs(prices.currency)].map((panel, index) =>
    drawPanel(panel, margin + index * (panelWidth + margin), figures, groupHeight),
  );
  const note = `prices of ${prices.region}, ${prices.date}; instances and volumes only`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
<style>
${styles}
</style>
<rect width="${width}" height="${height}" style="fill:var(--page)"/>
<text class="head" x="${margin}" y="30">${escaped(title)}</text>
${panels.join('\n')}
<text class="soft" x="${margin}" y="${height - 14}">${escaped(note)}</text>
</svg>
`;
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
  return [`<text class="name" x="${x}" y="58">${escaped(panel.title)}</text>`, drawLegend(panel, x), ...groups].join(
    '\n',
  );
}

function drawLegend({ legend }: Panel, x: number): string {
  return legend
    .map(({ text, style }, index) => {
      const left = x + index * 100;
      return `<rect class="${style}" x="${left}" y="68" width="10" height="10"/><text class="soft" x="${left + 15}" y="78">${text}</text>`;
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
const round = (value: number): number => Math.round(value * 10) / 10;
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
