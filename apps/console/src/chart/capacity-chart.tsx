import type { FleetSample, Incident } from '@drover/observation/api';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { onlyWhenChanged } from '../only-when-changed.tsx';
import { dataOf, describe, optionsFor } from './plot.ts';

interface ChartProps {
  readonly history: readonly FleetSample[];
  readonly incidents: readonly Incident[];
  readonly target: number;
  /** Goes to a moment that was clicked. */
  readonly choose: ((at: number) => void) | undefined;
}

/** Capacity over the last hours: busy, idle, booting, draining and not working against desired and maximum; the queue; marks for incidents. */
export function CapacityChart({ history, incidents, target, choose }: ChartProps) {
  const chosen = useRef(choose);
  chosen.current = choose;
  return (
    <section class="chart" aria-labelledby="chart-title">
      <h2 id="chart-title" class="hidden">
        Capacity
      </h2>
      <p class="legend">
        <span class="key busy">busy</span> <span class="key idle">idle (target {target})</span>{' '}
        <span class="key booting">booting</span> <span class="key draining">draining</span>{' '}
        <span class="key away">not working</span> <span class="key desired">desired</span>{' '}
        <span class="key max">max</span> <span class="key queued">queued jobs (right axis)</span>{' '}
        <span class="key fault">fault</span>
      </p>
      <Plot history={history} incidents={incidents} choose={chosen} />
    </section>
  );
}

interface PlotProps extends Pick<ChartProps, 'history' | 'incidents'> {
  readonly choose: { readonly current: ChartProps['choose'] };
}

const Plot = onlyWhenChanged(({ history, incidents, choose }: PlotProps) => {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const shown = useRef(incidents);
  shown.current = incidents;
  useEffect(() => {
    const element = box.current!;
    const size = () => ({ width: element.clientWidth, height: element.clientHeight });
    plot.current = new uPlot(
      optionsFor(size(), () => shown.current),
      dataOf(history),
      element,
    );
    const watch = new ResizeObserver(() => plot.current?.setSize(size()));
    watch.observe(element);
    // The slider does the same by keyboard.
    plot.current.over.addEventListener('click', () => {
      const { left } = plot.current!.cursor;
      if (left !== undefined && left >= 0) choose.current?.(plot.current!.posToVal(left, 'x') * 1_000);
    });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const repaint = () => plot.current?.redraw();
    scheme.addEventListener('change', repaint);
    return () => {
      watch.disconnect();
      scheme.removeEventListener('change', repaint);
      plot.current?.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(dataOf(history)), [history]);
  return <div class="plot" ref={box} role="img" aria-label={`Runners over time: ${describe(history.at(-1))}`} />;
});
