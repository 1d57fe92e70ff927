import { resolve } from 'node:path';
import { describeError } from '@drover/core';
import type { Travel } from '@drover/observation/api';
import type { DroverIo } from '@drover/operator/io';
import { type LocalOptions, portsOf } from '../options.ts';
import { Session } from '../session.ts';
import { lastFrame } from './frames.ts';
import { openFront } from './front.ts';
import { noteRunning } from './running.ts';
import { WorldProcess } from './world-process.ts';

/** The exit code of a command that Ctrl-C ended before it was done. */
const interrupted = 130;

/**
 * Keeps one world served, each in a process of its own. While one is replayed, the page shows the last moment of its session;
 * while a branch is replayed, the world that it comes from goes on.
 */
export async function supervise(io: DroverIo, options: LocalOptions, stop: Promise<void>): Promise<number> {
  return await new Supervisor(io, options).run(stop);
}

/** A course of events, and the moment up to which it is replayed. */
interface Destination {
  readonly to: number;
  readonly folder: string;
}

class Supervisor {
  readonly #io: DroverIo;
  readonly #options: LocalOptions;
  readonly #folder: string;
  #live: WorldProcess | undefined;
  #coming: WorldProcess | undefined;
  #travelling: Promise<void> = Promise.resolve();
  #over: (code: number) => void = () => {};

  constructor(io: DroverIo, options: LocalOptions) {
    this.#io = io;
    this.#options = options;
    this.#folder = resolve(options.state);
  }

  async run(stop: Promise<void>): Promise<number> {
    const stopped = stop.then(() => 'stopped' as const);
    const begun = this.#begin();
    begun.catch(() => {});
    if ((await Promise.race([begun, stopped])) === 'stopped') {
      await this.#stopAll();
      return interrupted;
    }
    const over = new Promise<number>((resolve_) => {
      this.#over = resolve_;
    });
    this.#follow();
    const noLonger = noteRunning(this.#folder, this.#url);
    const code = await Promise.race([over, stopped]);
    await this.#stopAll();
    noLonger();
    return code === 'stopped' ? 0 : code;
  }

  /** The first world, which resumes the session if there is one. */
  async #begin(): Promise<void> {
    const travel = { purpose: 'resume' as const, percent: 0, to: 0 };
    let anew = false;
    const front = await this.#openFront(travel, () => {
      anew = true;
      void this.#live?.stop();
    });
    const open = async (folder: string) => {
      this.#live = this.#start(folder, (percent) => {
        travel.percent = percent;
      });
      await this.#live.opened;
      return this.#live;
    };
    try {
      await open(this.#folder).catch((error: unknown) => {
        if (!anew) throw error;
      });
      if (anew) await open(this.#fromTheBeginning().folder);
    } finally {
      await front?.close();
    }
    this.#live!.send({ kind: 'serve' });
    await this.#live!.ready;
  }

  async #openFront(travel: { -readonly [Key in keyof Travel]: Travel[Key] }, startOver: () => void) {
    const earlier = new Session(this.#folder).read();
    const last = earlier && lastFrame(this.#folder);
    if (earlier === undefined || last === undefined) return undefined;
    travel.to = earlier.endedAt;
    const { console: port } = portsOf(this.#options);
    const front = await openFront(port, this.#folder, last, () => travel, startOver);
    this.#io.stderr(`${this.#url} shows the last moment of the session while it is replayed\n`);
    return front;
  }

  get #url(): string {
    return `http://127.0.0.1:${portsOf(this.#options).console}`;
  }

  #start(folder: string, progress: (percent: number) => void): WorldProcess {
    return new WorldProcess(this.#options, folder, {
      progress,
      branch: (at) => void (at === 0 ? this.#startOver() : this.#travel('branch', () => this.#branch(at))),
      returnTo: (course) => void this.#travel('return', () => this.#left(course)),
    });
  }

  #branch(at: number): Destination {
    return { to: at, folder: new Session(this.#folder).branch(at) };
  }

  #fromTheBeginning(): Destination {
    return this.#branch(new Session(this.#folder).read()!.beginning.startedAt);
  }

  /** A branch from the beginning needs no replay: one that is under way is given up for it. */
  async #startOver(): Promise<void> {
    await this.#coming?.stop();
    await this.#travelling;
    await this.#travel('branch', () => this.#fromTheBeginning());
  }

  /** A course of events that was left, and up to where it was played. */
  #left(course: number): Destination {
    const folder = new Session(this.#folder).folderOf(course);
    return { to: new Session(folder).course.playedUntil ?? 0, folder };
  }

  /** Replays another course of events, which then takes the place of the one that is served. */
  async #travel(purpose: Travel['purpose'], prepare: () => Destination): Promise<void> {
    if (this.#coming !== undefined) return;
    this.#travelling = this.#takeOver(purpose, prepare);
    await this.#travelling;
  }

  async #takeOver(purpose: Travel['purpose'], prepare: () => Destination): Promise<void> {
    const before = this.#live!;
    try {
      const { to, folder } = prepare();
      const say = (percent: number) => before.send({ kind: 'travel', travel: { purpose, percent, to } });
      say(0);
      this.#coming = this.#start(folder, say);
      await this.#coming.opened;
      this.#live = undefined;
      await before.stop();
      this.#live = this.#coming;
      this.#live.send({ kind: 'serve' });
      this.#follow();
      await this.#live.ready;
    } catch (error) {
      this.#io.stderr(`the other timeline could not be replayed: ${describeError(error)}\n`);
      before.send({ kind: 'travel', travel: undefined });
    } finally {
      this.#coming = undefined;
    }
  }

  /** When the world that is served ends by itself, everything does. */
  #follow(): void {
    const live = this.#live!;
    void live.ended.then((code) => {
      if (this.#live === live) this.#over(code);
    });
  }

  async #stopAll(): Promise<void> {
    const all = [this.#live, this.#coming].filter((one) => one !== undefined);
    this.#live = undefined;
    await Promise.all(all.map((one) => one.stop()));
  }
}
