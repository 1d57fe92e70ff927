import {
  accessSync,
  appendFileSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { TerminalError } from '@drover/core';
import type { OwnInputs } from './synthesise.ts';

/** Something that came from outside, at a simulated moment. */
export interface Input {
  readonly at: number;
  readonly channel: 'control' | 'aws' | 'platform' | 'search';
  readonly request: unknown;
}

/** What a session began with: with the same, and the same inputs, the same things happen. */
export interface Beginning {
  readonly version: 1;
  readonly seed: string;
  readonly startedAt: number;
  readonly settings: Readonly<Record<string, string | number>>;
  /** What the user's own files said, in the place of the example. */
  readonly own?: OwnInputs;
}

/** Beyond this a session is not played again: tens of thousands of requests would have to be answered first. */
const mostInputBytes = 20 * 1024 * 1024;

const framesName = 'frames';
const parts = ['session.json', 'inputs.ndjson', 'clock', framesName];
/** The course of events that was left for another. */
const leftName = 'before-branch';
const branchName = 'branch';

/** A session on disk: how it began and everything that came in. */
export class Session {
  #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    try {
      requirePlace(folder);
      mkdirSync(folder, { recursive: true });
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new TerminalError(`${folder} cannot be written: ${(error as Error).message}`, {
        remedy: 'run drover local where you may write, or name a folder with --state',
      });
    }
  }

  /** Undefined when there is none, or one that was left in pieces. */
  read(): { beginning: Beginning; inputs: readonly Input[]; endedAt: number } | undefined {
    if (!existsSync(this.#beginningFile)) return undefined;
    try {
      const beginning = JSON.parse(readFileSync(this.#beginningFile, 'utf8')) as Beginning;
      if (beginning.version !== 1) throw new Error(`version ${String(beginning.version)}`);
      const lines = existsSync(this.#inputsFile) ? readFileSync(this.#inputsFile, 'utf8').split('\n') : [];
      const inputs = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Input);
      const endedAt = existsSync(this.#clockFile) ? Number(readFileSync(this.#clockFile, 'utf8')) : beginning.startedAt;
      if (!Number.isFinite(endedAt)) throw new Error('no moment at which it ended');
      return { beginning, inputs, endedAt };
    } catch (error) {
      throw new TerminalError(`the state in ${this.#folder} is damaged (${(error as Error).message})`, {
        remedy: 'start a new session with --reset',
      });
    }
  }

  begin(beginning: Beginning): void {
    this.clear();
    writeFileSync(this.#beginningFile, JSON.stringify(beginning, null, 2));
  }

  /** Remembers an input before it is carried out. */
  note(input: Input): void {
    appendFileSync(this.#inputsFile, `${JSON.stringify(input)}\n`);
  }

  /** Remembers how far simulated time has come. */
  reached(now: number): void {
    writeFileSync(this.#clockFile, String(now));
  }

  /** More came in than is played again. */
  get tooLong(): boolean {
    return existsSync(this.#inputsFile) && statSync(this.#inputsFile).size > mostInputBytes;
  }

  clear(): void {
    for (const name of [...parts, leftName, branchName])
      rmSync(join(this.#folder, name), { recursive: true, force: true });
  }

  /** The same session up to a moment, in a folder of its own. */
  branch(at: number): string {
    const earlier = this.read();
    if (earlier === undefined) throw new TerminalError('there is no session to branch from');
    const folder = join(this.#folder, branchName);
    rmSync(folder, { recursive: true, force: true });
    const branch = new Session(folder);
    branch.begin(earlier.beginning);
    for (const input of earlier.inputs) if (input.at <= at) branch.note(input);
    branch.reached(at);
    const frames = join(this.#folder, framesName);
    if (existsSync(frames))
      cpSync(frames, join(folder, framesName), {
        recursive: true,
        filter: (path) => path === frames || Number.parseInt(basename(path), 10) <= at,
      });
    return folder;
  }

  /** Becomes the session of that folder; the one that was there is kept below it. */
  takePlaceOf(folder: string): void {
    if (folder === this.#folder) return;
    const left = join(folder, leftName);
    rmSync(left, { recursive: true, force: true });
    mkdirSync(left);
    for (const name of parts) if (existsSync(join(folder, name))) renameSync(join(folder, name), join(left, name));
    for (const name of parts)
      if (existsSync(join(this.#folder, name))) renameSync(join(this.#folder, name), join(folder, name));
    rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = folder;
  }

  get folder(): string {
    return this.#folder;
  }

  get #beginningFile(): string {
    return join(this.#folder, 'session.json');
  }

  get #inputsFile(): string {
    return join(this.#folder, 'inputs.ndjson');
  }

  get #clockFile(): string {
    return join(this.#folder, 'clock');
  }
}

/** Some file systems are not for files: below /proc `mkdir` with `recursive` tries for ever (nodejs/node, ENOENT of each parent). */
function requirePlace(folder: string): void {
  let existing = folder;
  while (!existsSync(existing) && existing !== parse(existing).root) existing = dirname(existing);
  if (existing !== folder) accessSync(existing, constants.W_OK | constants.X_OK);
  if (/^\/(proc|sys)(\/|$)/.test(existing)) throw new Error(`${existing} holds no files`);
}
