import {
  accessSync,
  appendFileSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { TerminalError } from '@drover/core';
import type { Course } from '@drover/observation/api';
import type { OwnInputs } from './synthesise.ts';

/** Something that came from outside, at a simulated moment. */
export interface Input {
  readonly at: number;
  readonly channel: 'control' | 'aws' | 'platform' | 'search';
  readonly request: unknown;
}

/** The digest of all that had happened, at a moment at which everything had settled: a replay on the same course finds the same. */
export interface Mark {
  readonly at: number;
  readonly digest: string;
}

/** The beginning of a session: with the same one, and the same inputs, the same things happen. */
export interface Beginning {
  readonly version: 1;
  readonly seed: string;
  readonly startedAt: number;
  readonly settings: Readonly<Record<string, string | number>>;
  /** Inputs of the user's own files, instead of the example. */
  readonly own?: OwnInputs;
}

/** The kept part of a session. */
export interface KeptSession {
  readonly beginning: Beginning;
  readonly inputs: readonly Input[];
  readonly marks: readonly Mark[];
  readonly endedAt: number;
}

/** Beyond this a session is not played again: tens of thousands of requests would have to be served first. */
const mostInputBytes = 20 * 1024 * 1024;

const framesName = 'frames';
const courseName = 'course.json';
const parts = ['session.json', 'inputs.ndjson', 'marks.ndjson', 'clock', courseName, framesName];
/** The courses of events that were left for another, each in a folder with its number. */
const coursesName = 'courses';
/** Of the branches that were left; the original always stays. */
const mostBranchesKept = 5;
const branchName = 'branch';
/** The folder of the page's results of `drover what-if`. */
const whatIfName = 'what-if';

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
  read(): KeptSession | undefined {
    if (!existsSync(this.#beginningFile)) return undefined;
    try {
      const beginning = JSON.parse(readFileSync(this.#beginningFile, 'utf8')) as Beginning;
      if (beginning.version !== 1) throw new Error(`version ${String(beginning.version)}`);
      const inputs = linesOf(this.#inputsFile).map((line) => JSON.parse(line) as Input);
      const marks = linesOf(this.#marksFile).flatMap(readMark);
      const reached = existsSync(this.#clockFile) ? Number(readFileSync(this.#clockFile, 'utf8')) : beginning.startedAt;
      if (!Number.isFinite(reached)) throw new Error('no moment at which it ended');
      // A session that was killed had come as far as its last mark, whatever it last wrote of the time.
      const endedAt = Math.max(reached, marks.at(-1)?.at ?? reached);
      return { beginning, inputs, marks, endedAt };
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

  /** Remembers the digest of all that happened so far. */
  mark(mark: Mark): void {
    appendFileSync(this.#marksFile, `${JSON.stringify(mark)}\n`);
  }

  /** For a session that takes another course now than when they were made. */
  forgetMarks(): void {
    rmSync(this.#marksFile, { force: true });
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
    for (const name of [...parts, coursesName, branchName, whatIfName])
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
    for (const mark of earlier.marks) if (mark.at <= at) branch.mark(mark);
    branch.reached(at);
    const ids = [this.course, ...this.otherCourses].map(({ id }) => id);
    branch.#writeCourse({ id: Math.max(...ids) + 1, branchedAt: at });
    const frames = join(this.#folder, framesName);
    if (existsSync(frames))
      cpSync(frames, join(folder, framesName), {
        recursive: true,
        filter: (path) => path === frames || Number.parseFloat(basename(path)) <= at,
      });
    return folder;
  }

  /** Which course of events this is. Without a branch there is only the original. */
  get course(): Course {
    const file = join(this.#folder, courseName);
    const { id, branchedAt } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { id: 0 };
    const ended = existsSync(this.#clockFile) ? Number(readFileSync(this.#clockFile, 'utf8')) : undefined;
    return { id, branchedAt, playedUntil: ended };
  }

  /** Courses that were left for this one, the original first. */
  get otherCourses(): readonly Course[] {
    const folder = join(this.#folder, coursesName);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .map((name) => new Session(join(folder, name)).course)
      .sort((a, b) => a.id - b.id);
  }

  /** The folder of a course that was left. */
  folderOf(courseId: number): string {
    if (this.otherCourses.some(({ id }) => id === courseId)) return join(this.#folder, coursesName, String(courseId));
    throw new TerminalError(`there is no timeline ${courseId} to return to`);
  }

  /** Becomes the session of that folder; the one that was there is kept below it. */
  takePlaceOf(folder: string): void {
    if (folder === this.#folder) return;
    const before = new Session(folder);
    const left = join(folder, coursesName, String(before.course.id));
    rmSync(left, { recursive: true, force: true });
    mkdirSync(left, { recursive: true });
    for (const name of parts) if (existsSync(join(folder, name))) renameSync(join(folder, name), join(left, name));
    for (const name of parts)
      if (existsSync(join(this.#folder, name))) renameSync(join(this.#folder, name), join(folder, name));
    rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = folder;
    const branches = this.otherCourses.filter(({ id }) => id > 0);
    for (const { id } of branches.slice(0, Math.max(0, branches.length - mostBranchesKept)))
      rmSync(join(folder, coursesName, String(id)), { recursive: true, force: true });
  }

  /** The folder of the results of what-if. */
  get whatIfFolder(): string {
    return join(this.#folder, whatIfName);
  }

  #writeCourse(course: Pick<Course, 'id' | 'branchedAt'>): void {
    writeFileSync(join(this.#folder, courseName), JSON.stringify(course));
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

  get #marksFile(): string {
    return join(this.#folder, 'marks.ndjson');
  }

  get #clockFile(): string {
    return join(this.#folder, 'clock');
  }
}

/** A mark that a crash cut off is none: less is compared then. */
function readMark(line: string): Mark[] {
  try {
    return [JSON.parse(line) as Mark];
  } catch {
    return [];
  }
}

const linesOf = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

/** Some file systems are not for files: below /proc `mkdir` with `recursive` tries for ever (nodejs/node, ENOENT of each parent). */
function requirePlace(folder: string): void {
  let existing = folder;
  while (!existsSync(existing) && existing !== parse(existing).root) existing = dirname(existing);
  if (existing !== folder) accessSync(existing, constants.W_OK | constants.X_OK);
  if (/^\/(proc|sys)(\/|$)/.test(existing)) throw new Error(`${existing} holds no files`);
}
