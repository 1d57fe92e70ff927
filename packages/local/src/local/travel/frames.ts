import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Observation } from '@drover/observation/api';
import { keptFrames } from './kept-frames.ts';

const passingEnd = '.json.gz';
const lastingEnd = '.kept.json.gz';
const apartMs = 60_000;
/** Frames between two looks for those that are too many. */
const framesPerThinning = 30;

/** The observations of a session, on disk: at most one frame a simulated minute, fewer of what is long ago, and each one from right before an incident. */
export class Frames {
  readonly #folder: string;
  #moments: number[];
  /** Moments right before an incident: their frames are not thinned out. */
  readonly #lasting: Set<number>;
  #untilThinning = framesPerThinning;

  constructor(sessionFolder: string) {
    this.#folder = join(sessionFolder, 'frames');
    mkdirSync(this.#folder, { recursive: true });
    this.#lasting = new Set(momentsIn(this.#folder, lastingEnd));
    this.#moments = [...new Set([...momentsIn(this.#folder, passingEnd), ...this.#lasting])].sort((a, b) => a - b);
  }

  /** Oldest first. */
  get moments(): readonly number[] {
    return this.#moments;
  }

  /** Keeps a frame unless the last one is too close. */
  note(state: Observation): void {
    const { now } = state.clock;
    const last = this.#moments.at(-1);
    if (last !== undefined && now - last < apartMs) return;
    this.#write(state);
    this.#untilThinning -= 1;
    if (this.#untilThinning > 0) return;
    this.#untilThinning = framesPerThinning;
    this.#thin(now);
  }

  /** Keeps a frame for as long as any is kept: that of the moment before an incident, or the last one. */
  keep(state: Observation): void {
    const { now } = state.clock;
    if (this.#lasting.has(now)) return;
    rmSync(this.#file(now), { force: true });
    this.#lasting.add(now);
    this.#write(state);
  }

  #write(state: Observation): void {
    const { now } = state.clock;
    const file = this.#file(now);
    // The fastest level: half the time of the default one, and a tenth more to keep.
    writeFileSync(`${file}.new`, gzipSync(JSON.stringify(state), { level: 1 }));
    renameSync(`${file}.new`, file);
    if (this.#moments.includes(now)) return;
    this.#moments.push(now);
    this.#moments.sort((a, b) => a - b);
  }

  /** The frame of that moment or the last one before it. */
  at(moment: number): Observation | undefined {
    const found = this.#moments.findLast((at) => at <= moment);
    if (found === undefined) return undefined;
    try {
      return JSON.parse(gunzipSync(readFileSync(this.#file(found))).toString()) as Observation;
    } catch {
      return undefined;
    }
  }

  #thin(now: number): void {
    const kept = keptFrames(this.#moments, now, this.#lasting);
    const stays = new Set(kept);
    for (const at of this.#moments) {
      if (stays.has(at)) continue;
      rmSync(this.#file(at), { force: true });
      this.#lasting.delete(at);
    }
    this.#moments = kept;
  }

  #file(at: number): string {
    return join(this.#folder, `${at}${this.#lasting.has(at) ? lastingEnd : passingEnd}`);
  }
}

/** The newest frame of a session that is not open, if there is one that can be read. */
export const lastFrame = (sessionFolder: string): Observation | undefined =>
  existsSync(join(sessionFolder, 'frames')) ? new Frames(sessionFolder).at(Number.POSITIVE_INFINITY) : undefined;

/** Moments have fractions of a millisecond where the speed does. */
const momentsIn = (folder: string, end: string): number[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .map((name) => Number(name.slice(0, -end.length)))
    .filter((at) => Number.isFinite(at));
