import { cheapestWithin, paretoFront } from '../answer.ts';
import type { Figures } from '../replay/figures.ts';
import type { Comparison } from './comparison.ts';
import { escaped, pageWidth, round, type Section } from './svg-parts.ts';
import { money, waitText } from './text.ts';

const plot = { left: 56, top: 30, width: pageWidth - 56, height: 240 };
/** Seconds at which the axis of waits has a line. */
const waitTicks = [1, 3, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];
const labelHeight = 15;
/** Of more points only those of the front have a name. */
const mostNamed = 10;

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
    ...(maxWait === undefined
      ? []
      : [
          `${down(x(maxWait), 'limit')}<text class="soft" x="${x(maxWait) + 4}" y="${plot.top + 10}">${waitText(maxWait)}</text>`,
        ]),
    ...(hosted === undefined
      ? []
      : [
          `${across(y(hosted.total), 'hosted')}<text class="soft end" x="${right}" y="${y(hosted.total) - 4}">${escaped(`GitHub-hosted, ${hosted.runner}: ${money(hosted.total)}`)}</text>`,
        ]),
    `<polyline class="front" points="${front.map((one) => `${x(waitOf(one))},${y(one.cost.total)}`).join(' ')}"/>`,
    ...figures.map((one) => point(one, x(waitOf(one)), y(one.cost.total), front.includes(one), one === best)),
    ...labels(figures.length <= mostNamed ? figures : front, x, y),
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

/** Beside their points, moved down until none covers another. */
function labels(named: readonly Figures[], x: (seconds: number) => number, y: (cost: number) => number): string[] {
  const placed: { readonly left: number; readonly right: number; readonly at: number }[] = [];
  return named
    .toSorted((a, b) => b.cost.total - a.cost.total)
    .map((one) => {
      const left = x(waitOf(one)) + 9;
      const right = left + one.name.length * 7;
      let at = y(one.cost.total) + 4;
      const covers = (other: (typeof placed)[number]) =>
        other.left < right && left < other.right && Math.abs(other.at - at) < labelHeight;
      while (placed.some(covers)) at += 3;
      placed.push({ left, right, at });
      return `<text class="soft" x="${left}" y="${round(at)}">${escaped(one.name)}</text>`;
    });
}
