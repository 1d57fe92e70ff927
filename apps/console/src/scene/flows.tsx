import type { JobState, NodeState, RelocationState } from '@drover/observation/api';
import { useEffect, useRef } from 'preact/hooks';

interface FlowsProps {
  readonly jobs: readonly JobState[];
  readonly relocations: readonly RelocationState[];
  readonly nodes: readonly NodeState[];
}

/** The most jobs that fly at once; the rest is seen in the numbers. */
const mostFlights = 20;
const flightMs = 700;

/** Jobs on their way from the queue to a runner, and shards between nodes. */
export function Flows({ jobs, relocations, nodes }: FlowsProps) {
  const layer = useRef<HTMLDivElement>(null);
  const started = useRef<ReadonlySet<number> | undefined>(undefined);
  useEffect(() => {
    const running = new Set(jobs.filter(({ state }) => state === 'running').map(({ id }) => id));
    const before = started.current;
    started.current = running;
    if (before === undefined || layer.current === null || matchMedia('(prefers-reduced-motion: reduce)').matches)
      return;
    const fresh = jobs.filter(({ id, state }) => state === 'running' && !before.has(id)).slice(0, mostFlights);
    for (const { instance } of fresh) fly(layer.current, place('[data-place="queue"]'), placeOf(instance));
  }, [jobs]);
  const ids = new Map(nodes.map(({ name, instanceId }) => [name, instanceId]));
  return (
    <div class="flows" ref={layer} aria-hidden="true">
      {relocations.map(({ index, number, from, to, percent }) => (
        <Moving key={`${index} ${number} ${to}`} from={ids.get(from)} to={ids.get(to)} percent={percent} />
      ))}
    </div>
  );
}

/** A shard between two nodes, as far along its way as its bytes are. */
function Moving({ from, to, percent }: { readonly from?: string; readonly to?: string; readonly percent: number }) {
  const dot = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const layer = dot.current?.parentElement?.getBoundingClientRect();
    const [a, b] = [placeOf(from), placeOf(to)];
    if (dot.current === null || layer === undefined || a === undefined || b === undefined) return;
    const along = (one: number, other: number) => one + ((other - one) * percent) / 100;
    dot.current.style.transform = `translate(${along(a.x, b.x) - layer.x}px, ${along(a.y, b.y) - layer.y}px)`;
    dot.current.style.opacity = '1';
  }, [percent, from, to]);
  return <span class="moving-shard" ref={dot} />;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function place(selector: string): Point | undefined {
  const box = document.querySelector(selector)?.getBoundingClientRect();
  return box === undefined ? undefined : { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

const placeOf = (instance: string | undefined) =>
  instance === undefined ? undefined : place(`[data-instance="${CSS.escape(instance)}"]`);

function fly(layer: HTMLElement, from: Point | undefined, to: Point | undefined): void {
  if (from === undefined || to === undefined) return;
  const { x, y } = layer.getBoundingClientRect();
  const job = document.createElement('span');
  job.className = 'flying-job';
  layer.append(job);
  const at = (point: Point) => ({ transform: `translate(${point.x - x}px, ${point.y - y}px)` });
  const flight = job.animate([at(from), at(to)], { duration: flightMs, easing: 'ease-in-out' });
  flight.onfinish = () => job.remove();
}
