import { paretoFront } from '../answer.ts';
import type { Figures } from '../replay/figures.ts';
import type { Comparison } from './comparison.ts';
import { money } from './text.ts';
import { waitText } from './wait-text.ts';

/** Of a sweep only those that no other beats are drawn. */
const mostDrawn = 8;
const width = 1012;
const margin = 24;
const left = 64;
const right = width - left;
const headHeight = 92;
const plotHeight = 66;
const captionHeight = 18;
const rowHeight = captionHeight + plotHeight + 26;
const hourMs = 3_600_000;

const legend = [
  ['busy', 'jobs that run'],
  ['running', 'instances without a job'],
  ['waiting', 'jobs that wait (most at once)'],
  ['cost', 'cost so far (right axis)'],
] as const;

/** Light or dark as the reader's. */
const styles = `svg{--ink:#1b1f24;--soft:#57606a;--page:#ffffff;--grid:#d8dee4;--waiting:#cf222e;--busy:#0969da;--running:#9ec5f4;--cost:#1a7f37;font:13px system-ui,sans-serif}
@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--soft:#9da7b3;--page:#0d1117;--grid:#30363d;--waiting:#ff7b72;--busy:#4493f8;--running:#1f4b7f;--cost:#3fb950}}
text{fill:var(--ink)}.soft{fill:var(--soft);font-size:12px}.head{font-size:16px;font-weight:600}.end{text-anchor:end}
.grid{stroke:var(--grid)}.queue{fill:none;stroke:var(--waiting);stroke-width:1.2}.bill{fill:none;stroke:var(--cost);stroke-width:1.2;stroke-dasharray:4 2}
${legend.map(([style]) => `.${style}{fill:var(--${style})}`).join('')}`;

/** Queue, capacity and cost of each configuration over time, one below the other on the same scales, with its wait and cost. */
export function comparisonSvg({ title, trace, prices, figures }: Comparison): string {
  const drawn = figures.length <= mostDrawn ? figures : paretoFront(figures).slice(0, mostDrawn);
  const most = Math.max(1, ...drawn.flatMap(({ overTime }) => [...overTime.running, ...overTime.waiting]));
  const dearest = Math.max(...drawn.map(({ cost }) => cost.total));
  const rows = drawn.map((one, index) => {
    const caption = `${one.name}: p95 wait ${waitText(one.waitSeconds.p95)}, ${money(one.cost.total)} ${prices.currency}`;
    return drawRow(one.overTime, caption, headHeight + index * rowHeight, { most, dearest }, trace.startMs);
  });
  const marks = legend.map(([style, text], index) => {
    const at = margin + index * 215;
    return `<rect class="${style}" x="${at}" y="60" width="10" height="10"/><text class="soft" x="${at + 15}" y="70">${text}</text>`;
  });
  const height = headHeight + drawn.length * rowHeight + 32;
  const note = `prices of ${prices.region}, ${prices.date}; instances and volumes only`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
<style>
${styles}
</style>
<rect width="${width}" height="${height}" style="fill:var(--page)"/>
<text class="head" x="${margin}" y="34">${escaped(title)}</text>
${[...marks, ...rows].join('\n')}
<text class="soft" x="${margin}" y="${height - 14}">${escaped(note)}</text>
</svg>
`;
}

interface Scales {
  /** Of instances and jobs. */
  readonly most: number;
  readonly dearest: number;
}

function drawRow(
  { stepMs, waiting, busy, running, cost }: Figures['overTime'],
  caption: string,
  top: number,
  { most, dearest }: Scales,
  startMs: number,
): string {
  const steps = waiting.length;
  const base = top + captionHeight + plotHeight;
  const x = (index: number) => round(left + (index / steps) * (right - left));
  const y = (value: number) => round(base - (value / most) * plotHeight);
  const bill = cost.map((value, index) => `${x(index)},${round(base - (value / dearest) * plotHeight)}`).join(' ');
  /** A level for each step. */
  const along = (values: readonly number[]) =>
    values.map((value, index) => `${x(index)},${y(value)} ${x(index + 1)},${y(value)}`).join(' ');
  const area = (values: readonly number[], style: string) =>
    `<polygon class="${style}" points="${left},${base} ${along(values)} ${x(steps)},${base}"/>`;
  const ticks = ticksOf(startMs, startMs + steps * stepMs).map(({ at: ms, text }) => {
    const at = x((ms - startMs) / stepMs);
    return `<line class="grid" x1="${at}" x2="${at}" y1="${top + captionHeight}" y2="${base}"/><text class="soft" x="${at + 3}" y="${base + 13}">${text}</text>`;
  });
  return [
    `<text class="soft" x="${left}" y="${top + 12}">${escaped(caption)}</text>`,
    ...ticks,
    area(running, 'running'),
    area(busy, 'busy'),
    `<polyline class="queue" points="${along(waiting)}"/>`,
    `<polyline class="bill" points="${bill}"/>`,
    `<text class="soft" x="${right + 6}" y="${top + 26}">${money(dearest)}</text><text class="soft" x="${right + 6}" y="${base}">0</text>`,
    `<text class="soft end" x="${left - 6}" y="${top + 26}">${Math.round(most)}</text><text class="soft end" x="${left - 6}" y="${base}">0</text>`,
  ].join('\n');
}

/** Every third hour, or every day of more than two. */
function ticksOf(fromMs: number, toMs: number): { readonly at: number; readonly text: string }[] {
  const daily = toMs - fromMs > 48 * hourMs;
  const everyMs = (daily ? 24 : 3) * hourMs;
  const first = Math.ceil(fromMs / everyMs) * everyMs;
  return Array.from({ length: Math.max(0, Math.ceil((toMs - first) / everyMs)) }, (_, index) => {
    const at = first + index * everyMs;
    const text = new Date(at).toISOString();
    return { at, text: daily ? text.slice(5, 10) : text.slice(11, 16) };
  });
}

const round = (value: number): number => Math.round(value * 10) / 10;
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
