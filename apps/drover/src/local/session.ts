import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { TerminalError } from '@drover/core';

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
}

/** Beyond this a session is not played again: tens of thousands of requests would have to be answered first. */
const mostInputBytes = 20 * 1024 * 1024;

/** A session on disk: how it began and everything that came in. */
export class Session {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    try {
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
    for (const file of [this.#beginningFile, this.#inputsFile, this.#clockFile]) rmSync(file, { force: true });
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
