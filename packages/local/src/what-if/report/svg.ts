import { paretoFront } from '../answer.ts';
import { barsSection } from './bars-svg.ts';
import type { Comparison } from './comparison.ts';
import { overTimeSection } from './over-time-svg.ts';
import { paretoSection } from './pareto-svg.ts';
import { escaped, margin, pageWidth } from './svg-parts.ts';

/** Of a sweep only those that no other beats are drawn one by one. */
const mostDrawn = 8;
const titleHeight = 44;
const gap = 28;

/** Light or dark as the reader's; every part has a colour of its own. */
const light =
  '--ink:#1b1f24;--soft:#57606a;--page:#ffffff;--grid:#d8dee4;--p50:#c6b3f5;--p95:#8250df;--p99:#4c2889;--on-demand:#0969da;--spot:#1a7f37;--volumes:#8c959f;--hibernated:#bc4c00;--waiting:#cf222e;--busy:#0969da;--running:#9ec5f4';
const dark =
  '--ink:#e6edf3;--soft:#9da7b3;--page:#0d1117;--grid:#30363d;--p50:#6b5a94;--p95:#a371f7;--p99:#dbc7ff;--on-demand:#4493f8;--spot:#3fb950;--volumes:#7d8590;--hibernated:#f0883e;--waiting:#ff7b72;--busy:#4493f8;--running:#1f4b7f';
const filled = ['p50', 'p95', 'p99', 'on-demand', 'spot', 'volumes', 'hibernated', 'waiting', 'busy', 'running'];
const styles = `svg{${light};font:13px system-ui,sans-serif}
@media(prefers-color-scheme:dark){svg{${dark}}}
text{fill:var(--ink)}.soft{fill:var(--soft);font-size:12px}.head{font-size:16px;font-weight:600}.name{font-weight:600}.end{text-anchor:end}.over{paint-order:stroke;stroke:var(--page);stroke-width:3px;stroke-linejoin:round}.middle{text-anchor:middle}
.grid{stroke:var(--grid)}.front{fill:none;stroke:var(--p95);stroke-width:1.5}.limit{stroke:var(--waiting);stroke-dasharray:4 3}.hosted{stroke:var(--hibernated);stroke-dasharray:4 3}.queue{fill:none;stroke:var(--waiting);stroke-width:1.2}
${filled.map((part) => `.${part}{fill:var(--${part})}`).join('')}`;

/** Waits and costs, one against the other, and over time; follows the reader's light or dark mode. */
export function comparisonSvg(comparison: Comparison): string {
  const { title, prices, figures } = comparison;
  const drawn = figures.length <= mostDrawn ? figures : paretoFront(figures).slice(0, mostDrawn);
  const sections = [barsSection(comparison, drawn), paretoSection(comparison), overTimeSection(comparison, drawn)];
  let top = titleHeight;
  const bodies = sections.map(({ height, body }) => {
    const placed = `<g transform="translate(${margin} ${top})">\n${body}\n</g>`;
    top += height + gap;
    return placed;
  });
  const [width, height] = [pageWidth + 2 * margin, top + 12];
  const note = `prices of ${prices.region}, ${prices.date}; instances and volumes only`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
<style>
${styles}
</style>
<rect width="${width}" height="${height}" style="fill:var(--page)"/>
<text class="head" x="${margin}" y="30">${escaped(title)}</text>
${bodies.join('\n')}
<text class="soft" x="${margin}" y="${height - 14}">${escaped(note)}</text>
</svg>
`;
}
