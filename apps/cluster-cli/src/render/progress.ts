import type { Io } from '../io.ts';
import { bytesText, durationText } from './units.ts';

/** How a wait stands. */
export interface Progress {
  readonly because: string;
  readonly shardsLeft?: number | undefined;
  readonly bytesLeft?: number | undefined;
  /** How long the rest takes by what was seen since the first reading. */
  readonly restMs?: ((seen: Seen) => number | undefined) | undefined;
  /** When AWS ends the hook, or the command's own limit. */
  readonly endsAt?: number | undefined;
}

interface Seen {
  readonly bytes: number;
  readonly ms: number;
}

export interface ProgressLine {
  /** Whether anything is written at all. */
  readonly shown: boolean;
  show(progress: Progress): void;
  /** Clears the line, so that others can write. */
  clear(): void;
}

/** Plain lines come at most this often when nothing changes. */
const quietForMs = 5 * 60_000;

/** One live line on a terminal; in a pipe a plain line whenever something changed. */
export function progressLine(io: Pick<Io, 'stderr' | 'clock'>, enabled: boolean): ProgressLine {
  if (!enabled) return { shown: false, show: () => {}, clear: () => {} };
  const rate = new Rate();
  return io.stderr.isTTY ? liveLine(io, rate) : plainLines(io, rate);
}

function liveLine(io: Pick<Io, 'stderr' | 'clock'>, rate: Rate): ProgressLine {
  let shown = false;
  return {
    shown: true,
    show: (progress) => {
      const text = describe(progress, rate.of(progress, io.clock.now()), io.clock.now());
      // Some terminals say 0 columns.
      void io.stderr.write(`\r\u001b[2K${text.slice(0, (io.stderr.columns || 120) - 1)}`);
      shown = true;
    },
    clear: () => {
      if (shown) void io.stderr.write('\r\u001b[2K');
      shown = false;
    },
  };
}

function plainLines(io: Pick<Io, 'stderr' | 'clock'>, rate: Rate): ProgressLine {
  let last = '';
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    shown: true,
    show: (progress) => {
      const now = io.clock.now();
      const speed = rate.of(progress, now);
      const key = `${progress.because}/${progress.shardsLeft}`;
      if (key === last && now - lastAt < quietForMs) return;
      last = key;
      lastAt = now;
      void io.stderr.write(`${describe(progress, speed, now)}\n`);
    },
    clear: () => {},
  };
}

interface Pace {
  readonly bytesPerSecond?: number | undefined;
  /** How long the rest takes. */
  readonly restMs?: number | undefined;
}

/** Bytes per second since the first reading that had any, and how long the rest takes. */
class Rate {
  #first: { readonly at: number; readonly bytes: number } | undefined;

  of({ bytesLeft, restMs }: Progress, now: number): Pace {
    if (bytesLeft === undefined) return {};
    if (this.#first === undefined || bytesLeft > this.#first.bytes) this.#first = { at: now, bytes: bytesLeft };
    const seen = { bytes: this.#first.bytes - bytesLeft, ms: now - this.#first.at };
    const bytesPerSecond = seen.ms > 0 && seen.bytes > 0 ? (1000 * seen.bytes) / seen.ms : undefined;
    return { bytesPerSecond, restMs: restMs?.(seen) };
  }
}

/** Describes what remains, the speed, the expected end, and the time limit. */
export function describe(progress: Progress, { bytesPerSecond, restMs }: Pace, now: number): string {
  const { because, bytesLeft, endsAt } = progress;
  const parts = [because];
  if (bytesLeft !== undefined && bytesLeft > 0) parts.push(`${bytesText(bytesLeft)} to move`);
  if (bytesPerSecond !== undefined) parts.push(`${bytesText(bytesPerSecond)}/s`);
  if (restMs !== undefined && restMs > 0) parts.push(`done in ${durationText(restMs)}`);
  if (endsAt !== undefined) parts.push(`${durationText(endsAt - now)} to the deadline`);
  if (endsAt !== undefined && restMs !== undefined && now + restMs > endsAt) parts.push('it does not end in time');
  return parts.join(', ');
}
