import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Observation } from '@drover/observation/api';
import { keptFrames } from './kept-frames.ts';

const apartMs = 60_000;
/** Frames between two looks for those that are too many. */
const framesPerThinning = 30;

/** The observations of a session, on disk: at most one frame a simulated minute, fewer of what is long ago. */
export class Frames {
  readonly #folder: string;
  #moments: number[];
  #untilThinning = framesPerThinning;

  constructor(sessionFolder: string) {
    this.#folder = join(sessionFolder, 'frames');
    mkdirSync(this.#folder, { recursive: true });
    this.#moments = momentsIn(this.#folder);
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
    const file = this.#file(now);
    // The fastest level: half the time of the default one, and a tenth more to keep.
    writeFileSync(`${file}.new`, gzipSync(JSON.stringify(state), { level: 1 }));
    renameSync(`${file}.new`, file);
    this.#moments.push(now);
    this.#untilThinning -= 1;
    if (this.#untilThinning > 0) return;
    this.#untilThinning = framesPerThinning;
    this.#thin(now);
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
    const kept = keptFrames(this.#moments, now);
    const stays = new Set(kept);
    for (const at of this.#moments) if (!stays.has(at)) rmSync(this.#file(at), { force: true });
    this.#moments = kept;
  }

  #file(at: number): string {
    return join(this.#folder, `${at}.json.gz`);
  }
}

/** The newest frame of a session that is not open, if there is one that can be read. */
export const lastFrame = (sessionFolder: string): Observation | undefined =>
  existsSync(join(sessionFolder, 'frames')) ? new Frames(sessionFolder).at(Number.POSITIVE_INFINITY) : undefined;

const momentsIn = (folder: string): number[] =>
  readdirSync(folder)
    .flatMap((name) => /^(\d+)\.json\.gz$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
