/** An event of a trace of Chromium; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Of the thread's own time. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

export const tracedCategories = [
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'toplevel',
  '__metadata',
];

/** Events that Chromium's own tools count as scripting. */
const scripting = new Set([
  'BlinkScheduler_PerformMicrotaskCheckpoint',
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'FireIdleCallback',
  'FunctionCall',
  'RunMicrotasks',
  'TimerFire',
]);

const isFrame = ({ name, ph }: TraceEvent) => name === 'Commit' && ph === 'X';

/** Milliseconds of scripting in each frame of the page's main thread, as a trace has them. */
export function scriptingPerFrame(trace: { readonly traceEvents: readonly TraceEvent[] }): number[] {
  const thread = mainThread(trace.traceEvents);
  const own = trace.traceEvents
    .filter(({ pid, tid }) => pid === thread?.pid && tid === thread?.tid)
    .toSorted((a, b) => a.ts - b.ts);
  // With a commit the main thread hands a frame over.
  const frames = own.filter(isFrame).map(({ ts }) => ts);
  const spent = frames.map(() => 0);
  let frame = 0;
  let until = 0;
  for (const { name, ph, ts, dur = 0, tdur = dur } of own) {
    // One within another is counted already.
    if (ph !== 'X' || !scripting.has(name) || ts < until) continue;
    until = ts + dur;
    while (frame < frames.length && frames[frame]! <= ts) frame += 1;
    if (frame < frames.length) spent[frame]! += tdur / 1_000;
  }
  return spent;
}

/** The renderer with the most frames: others show nothing. */
function mainThread(events: readonly TraceEvent[]): TraceEvent | undefined {
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const framesOf = ({ pid, tid }: TraceEvent) =>
    events.filter((one) => isFrame(one) && one.pid === pid && one.tid === tid).length;
  return mains.toSorted((a, b) => framesOf(b) - framesOf(a))[0];
}

/** The value that 99 of 100 do not exceed. */
export const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * 0.99) - 1)] ?? 0;
