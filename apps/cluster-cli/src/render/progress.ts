import type { Io } from '../io.ts';
import { bytesText, durationText } from './units.ts';

/** How a wait stands. */
export interface Progress {
  readonly because: string;
  readonly shardsLeft?: number | undefined;
  readonly bytesLeft?: number | undefined;
  /** When AWS ends the hook, or the command's own limit. */
  readonly endsAt?: number | undefined;
}

export interface ProgressLine {
  show(progress: Progress): void;
  /** Clears the line, so that others can write. */
  clear(): void;
}

/** Plain lines come only so often when nothing changes. */
const quietForMs = 5 * 60_000;

/** One live line on a terminal; in a pipe a plain line whenever something changed. */
export function progressLine(io: Pick<Io, 'stderr' | 'clock'>, enabled: boolean): ProgressLine {
  if (!enabled) return { show: () => {}, clear: () => {} };
  const rate = new Rate();
  return io.stderr.isTTY ? liveLine(io, rate) : plainLines(io, rate);
}

function liveLine(io: Pick<Io, 'stderr' | 'clock'>, rate: Rate): ProgressLine {
  let shown = false;
  return {
    show: (progress) => {
      const text = describe(progress, rate.of(progress, io.clock.now()), io.clock.now());
      void io.stderr.write(`\r\u001b[2K${text.slice(0, (io.stderr.columns ?? 120) - 1)}`);
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

/** Bytes per second since the first reading that had any. */
class Rate {
  #first: { readonly at: number; readonly bytes: number } | undefined;

  of({ bytesLeft }: Progress, now: number): number | undefined {
    if (bytesLeft === undefined) return undefined;
    if (this.#first === undefined || bytesLeft > this.#first.bytes) this.#first = { at: now, bytes: bytesLeft };
    const seconds = (now - this.#first.at) / 1000;
    const moved = this.#first.bytes - bytesLeft;
    return seconds > 0 && moved > 0 ? moved / seconds : undefined;
  }
}

/** What remains, how fast it goes, when it will be done, and how long it may take. */
export function describe(progress: Progress, bytesPerSecond: number | undefined, now: number): string {
  const { because, bytesLeft, endsAt } = progress;
  const parts = [because];
  if (bytesLeft !== undefined && bytesLeft > 0) parts.push(`${bytesText(bytesLeft)} to move`);
  if (bytesPerSecond !== undefined) parts.push(`${bytesText(bytesPerSecond)}/s`);
  if (bytesPerSecond !== undefined && bytesLeft !== undefined)
    parts.push(`done in ${durationText((bytesLeft / bytesPerSecond) * 1000)}`);
  if (endsAt !== undefined) parts.push(`${durationText(endsAt - now)} to the deadline`);
  return parts.join(', ');
}
