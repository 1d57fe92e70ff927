import type { Usage } from '@drover/operator/fleet/prices';
import type { DeployedFleet } from '@drover/stage/fleet';
import type { Trace } from '../trace/trace.ts';

/** Queue and capacity in equal steps from the start of the trace to its end. */
export interface OverTime {
  readonly stepMs: number;
  /** Most jobs that waited at once. */
  readonly waiting: readonly number[];
  /** Jobs that had a runner, on average. */
  readonly busy: readonly number[];
  /** Instances that ran, on average. */
  readonly running: readonly number[];
  /** Usage until the step begins. */
  readonly usage: readonly Usage[];
}

const minuteMs = 60_000;
const mostSteps = 300;

/** Looks once a minute; returns how to read what was seen. */
export function watchOverTime(
  { clock, codeHost }: DeployedFleet,
  { startMs, endMs }: Trace,
  meter: { readonly running: number; read(): Usage },
): () => OverTime {
  const stepMs = Math.ceil((endMs - startMs) / minuteMs / mostSteps) * minuteMs;
  const steps: { waiting: number; busy: number; running: number; looks: number; usage: Usage }[] = [];
  const look = () => {
    if (clock.now() >= endMs) return;
    const { queue } = codeHost.registry;
    const { queued, completed, lost } = queue.counts;
    const waiting = queue.waiting.length;
    const index = Math.floor((clock.now() - startMs) / stepMs);
    steps[index] ??= { waiting: 0, busy: 0, running: 0, looks: 0, usage: meter.read() };
    const step = steps[index];
    step.waiting = Math.max(step.waiting, waiting);
    step.busy += queued - completed - lost - waiting;
    step.running += meter.running;
    step.looks += 1;
    clock.after(minuteMs, look);
  };
  look();
  return () => ({
    stepMs,
    waiting: steps.map(({ waiting }) => waiting),
    busy: steps.map(({ busy, looks }) => busy / looks),
    running: steps.map((step) => step.running / step.looks),
    usage: steps.map(({ usage }) => usage),
  });
}
