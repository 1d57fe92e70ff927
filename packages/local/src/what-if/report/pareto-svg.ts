import { cheapestWithin, paretoFront } from '../answer.ts';
import type { Figures } from '../replay/figures.ts';
import type { Comparison } from './comparison.ts';
import { aroundPoint, type Box, type PlacedLabel, placeLabels, textWidth } from './place-labels.ts';
import { escaped, pageWidth, round, type Section } from './svg-parts.ts';
import { money, waitText } from './text.ts';

const plot = { left: 56, top: 30, width: pageWidth - 56, height: 240 };
/** Seconds at which the axis of waits has a line. */
const waitTicks = [1, 3, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];
/** Of more points only those of the front have a name. */
const mostNamed = 10;
const farAway = 12;

/** Each configuration by its wait and its cost; a line joins those that no other beats in both. */
export function paretoSection({ figures, hosted, maxWait, prices }: Comparison): Section {
  const front = paretoFront(figures);
  const waits = [...figures.map(waitOf), ...(maxWait === undefined ? [] : [maxWait])];
  const [least, most] = [Math.min(...waits) / 1.5, Math.max(...waits) * 3];
  const mostCost = 1.1 * Math.max(...figures.map(({ cost }) => cost.total), hosted?.total ?? 0, Number.MIN_VALUE);
  const x = (seconds: number) => round(plot.left + (Math.log(seconds / least) / Math.log(most / least)) * plot.width);
  const y = (cost: number) => round(plot.top + plot.height * (1 - cost / mostCost));
  const [right, bottom] = [plot.left + plot.width, plot.top + plot.height];
  const across = (at: number, style: string) =>
    `<line class="${style}" x1="${plot.left}" x2="${right}" y1="${at}" y2="${at}"/>`;
  const down = (at: number, style: string) =>
    `<line class="${style}" x1="${at}" x2="${at}" y1="${plot.top}" y2="${bottom}"/>`;
  const best = maxWait === undefined ? undefined : cheapestWithin(figures, maxWait);
  const limitLine = maxWait === undefined ? [] : [lineName(waitText(maxWait), x(maxWait) + 4, 'right', plot.top + 10)];
  const hostedLine =
    hosted === undefined
      ? []
      : [lineName(`GitHub-hosted, ${hosted.runner}: ${money(hosted.total)}`, right, 'left', y(hosted.total) - 4)];
  const lines = [...limitLine, ...hostedLine];
  const points = (some: readonly Figures[]) =>
    some
      .toSorted((a, b) => b.cost.total - a.cost.total)
      .map((one) => ({ name: one.name, x: x(waitOf(one)), y: y(one.cost.total) }));
  const named = figures.length <= mostNamed ? figures : front;
  const names = placeLabels(points(named), { left: plot.left, right, top: plot.top, bottom }, [
    ...lines.map(({ box }) => box),
    ...points(figures).map(aroundPoint),
  ]);
  const body = [
    `<text class="name" x="0" y="14">${escaped(`Wait (p95) against cost, ${prices.currency}; the line joins what no other beats in both`)}</text>`,
    ...waitTicks
      .filter((seconds) => seconds > least && seconds < most)
      .map(
        (seconds) =>
          `${down(x(seconds), 'grid')}<text class="soft middle" x="${x(seconds)}" y="${bottom + 16}">${waitText(seconds)}</text>`,
      ),
    ...[0, 0.25, 0.5, 0.75]
      .map((share) => (share * mostCost) / 1.1)
      .map(
        (cost) =>
          `${across(y(cost), 'grid')}<text class="soft end" x="${plot.left - 6}" y="${y(cost) + 4}">${money(cost)}</text>`,
      ),
    ...(maxWait === undefined ? [] : [down(x(maxWait), 'limit')]),
    ...(hosted === undefined ? [] : [across(y(hosted.total), 'hosted')]),
    ...lines.map(({ text, at, side, baseline }) => written(text, at, side, baseline)),
    `<polyline class="front" points="${front.map((one) => `${x(waitOf(one))},${y(one.cost.total)}`).join(' ')}"/>`,
    ...names.map(nameBeside),
    ...figures.map((one) => point(one, x(waitOf(one)), y(one.cost.total), front.includes(one), one === best)),
  ];
  return { height: bottom + 20, body: body.join('\n') };
}

/** The axis has no zero. */
const waitOf = ({ waitSeconds }: Figures): number => Math.max(1, waitSeconds.p95);

function point(
  { name, waitSeconds, cost }: Figures,
  cx: number,
  cy: number,
  onFront: boolean,
  isBest: boolean,
): string {
  const said = escaped(`${name}: ${waitText(waitSeconds.p95)}, ${money(cost.total)}`);
  return `<circle class="${onFront ? 'p95' : 'volumes'}" cx="${cx}" cy="${cy}" r="${isBest ? 7 : 4.5}"><title>${said}</title></circle>`;
}

/** The name of a line of the picture, and where it is. */
function lineName(text: string, at: number, side: PlacedLabel['side'], baseline: number) {
  const width = textWidth(text);
  const left = side === 'right' ? at : at - width;
  const box: Box = { left, right: left + width, top: baseline - 11, bottom: baseline + 4 };
  return { text, at, side, baseline, box };
}

const written = (text: string, at: number, side: PlacedLabel['side'], baseline: number): string =>
  `<text class="soft over${side === 'left' ? ' end' : ''}" x="${round(at)}" y="${round(baseline)}">${escaped(text)}</text>`;

/** One that had to move away is joined to its point. */
function nameBeside({ point: { name, x, y }, box, side, baseline }: PlacedLabel): string {
  const at = side === 'right' ? box.left : box.right;
  const middle = round((box.top + box.bottom) / 2);
  const far = Math.abs(middle - y) > farAway;
  const line = far ? `<line class="grid" x1="${x}" y1="${y}" x2="${round(at)}" y2="${middle}"/>` : '';
  return `${line}${written(name, at, side, baseline)}`;
}
