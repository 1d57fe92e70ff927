import type { FleetSample } from '../api.ts';
import { timeOfDay } from '../words.ts';

const width = 720;
const height = 180;
const left = 28;
const bottom = 20;

const tenth = (value: number) => Math.round(value * 10) / 10;

/** Idle, busy and queued over the last hours, with the number of idle runners below which the alarm goes off. */
export function IdleChart({ history, target }: { readonly history: readonly FleetSample[]; readonly target: number }) {
  const most = Math.max(4, target + 1, ...history.map(({ idle, busy, queued }) => Math.max(idle, busy, queued)));
  const first = history[0]?.at ?? 0;
  const range = Math.max(1, (history.at(-1)?.at ?? 1) - first);
  const x = (at: number) => left + ((at - first) / range) * (width - left);
  const y = (value: number) => height - bottom - (value / most) * (height - bottom - 8);
  const line = (pick: (sample: FleetSample) => number) =>
    history.map((sample) => `${tenth(x(sample.at))},${tenth(y(pick(sample)))}`).join(' ');
  const last = history.at(-1);
  const summary =
    last === undefined
      ? 'nothing yet'
      : `${last.idle} idle, ${last.busy} busy, ${last.queued} queued; target ${target} idle`;
  return (
    <section aria-labelledby="chart-title">
      <h2 id="chart-title">Idle and busy runners</h2>
      <p class="legend">
        <span class="key idle-line">idle</span> <span class="key busy-line">busy</span>{' '}
        <span class="key queued-line">queued</span> <span class="key target-line">alarm threshold</span>
      </p>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Runners over time: ${summary}`}>
        {[0, Math.round(most / 2), most].map((value) => (
          <g key={value}>
            <line class="grid" x1={left} x2={width} y1={y(value)} y2={y(value)} />
            <text x="2" y={y(value) + 4}>
              {value}
            </text>
          </g>
        ))}
        <line class="target-line" x1={left} x2={width} y1={y(target)} y2={y(target)} />
        <polyline class="queued-line" points={line(({ queued }) => queued)} />
        <polyline class="busy-line" points={line(({ busy }) => busy)} />
        <polyline class="idle-line" points={line(({ idle }) => idle)} />
        {last !== undefined && (
          <>
            <text x={left} y={height - 4}>
              {timeOfDay(first).slice(0, 5)}
            </text>
            <text x={width - 34} y={height - 4}>
              {timeOfDay(last.at).slice(0, 5)}
            </text>
          </>
        )}
      </svg>
    </section>
  );
}
