import * as realFs from 'node:fs';
import { posix } from 'node:path';
import { permissionDenied } from '../errors.ts';
import type { FunctionCode } from '../model.ts';
import { refusedModule } from './refused.ts';

type Encoding =
  | string
  | { encoding?: string | null; recursive?: boolean; force?: boolean; flag?: string }
  | null
  | undefined;

/** The files of a function: its package under `/var/task`, and `/tmp`. Nothing of the machine it runs on. */
export class SandboxFiles {
  readonly #code: FunctionCode;
  readonly #files = new Map<string, Uint8Array>();
  readonly #directories = new Set<string>(['/', '/tmp', '/var', '/var/task']);

  constructor(code: FunctionCode) {
    this.#code = code;
    for (const [path, bytes] of code.files) this.#put(`/var/task/${path}`, bytes);
  }

  /** `fs` and `fs/promises`. What is not modelled throws when it is used. */
  modules() {
    const sync = this.#syncFunctions();
    const callbacks = Object.fromEntries(
      Object.entries(sync).map(([name, act]) => [asyncName(name), withCallback(act)]),
    );
    const promises = Object.fromEntries(Object.entries(sync).map(([name, act]) => [asyncName(name), asPromise(act)]));
    const promisesModule = refusedModule('fs/promises', realFs.promises as never, promises);
    const allowed = { ...sync, ...callbacks, promises: promisesModule };
    return { fs: refusedModule('fs', realFs as never, allowed), promises: promisesModule };
  }

  #syncFunctions(): Readonly<Record<string, (...args: never[]) => unknown>> {
    return {
      readFileSync: (path: unknown, encoding?: Encoding) => decoded(this.#read(path), encoding),
      existsSync: (path: unknown) => this.#exists(absolute(path)),
      accessSync: (path: unknown) => this.#require(path, 'access'),
      statSync: (path: unknown) => this.#stat(path),
      lstatSync: (path: unknown) => this.#stat(path),
      realpathSync: (path: unknown) => absolute(path),
      readdirSync: (path: unknown) => this.#list(path),
      writeFileSync: (path: unknown, data: string | Uint8Array) => this.#put(writable(path), bytesOf(data)),
      appendFileSync: (path: unknown, data: string | Uint8Array) => this.#append(path, data),
      mkdirSync: (path: unknown) => void this.#directories.add(writable(path)),
      mkdtempSync: (prefix: unknown) => this.#makeTemporary(prefix),
      unlinkSync: (path: unknown) => void this.#files.delete(this.#require(path, 'unlink')),
      rmSync: (path: unknown) => this.#remove(absolute(path)),
    };
  }

  #put(path: string, bytes: Uint8Array): void {
    this.#files.set(path, bytes);
    for (let parent = posix.dirname(path); parent !== '/'; parent = posix.dirname(parent))
      this.#directories.add(parent);
  }

  #append(path: unknown, data: string | Uint8Array): void {
    const target = writable(path);
    this.#put(target, Buffer.concat([this.#files.get(target) ?? new Uint8Array(), bytesOf(data)]));
  }

  #makeTemporary(prefix: unknown): string {
    const path = `${absolute(prefix)}${String(this.#directories.size).padStart(6, '0')}`;
    this.#directories.add(writable(path));
    return path;
  }

  #remove(path: string): void {
    for (const each of this.#files.keys()) if (each === path || each.startsWith(`${path}/`)) this.#files.delete(each);
    for (const each of this.#directories)
      if (each === path || each.startsWith(`${path}/`)) this.#directories.delete(each);
  }

  #exists(path: string): boolean {
    return this.#files.has(path) || this.#directories.has(path);
  }

  #read(path: unknown): Uint8Array {
    const file = absolute(path).replace(/^\/var\/task\//, '');
    if (this.#code.unreadable.has(file)) throw permissionDenied(file);
    return this.#files.get(absolute(path)) ?? missing(absolute(path), 'open');
  }

  #require(path: unknown, call: string): string {
    return this.#exists(absolute(path)) ? absolute(path) : missing(absolute(path), call);
  }

  #stat(path: unknown) {
    const target = this.#require(path, 'stat');
    const file = this.#files.get(target);
    return {
      size: file?.length ?? 0,
      isFile: () => file !== undefined,
      isDirectory: () => file === undefined,
      isSymbolicLink: () => false,
      mode: file === undefined ? 0o40755 : 0o100644,
      mtimeMs: 0,
      mtime: new Date(0),
    };
  }

  #list(path: unknown): string[] {
    const prefix = `${this.#require(path, 'scandir').replace(/\/$/, '')}/`;
    const below = [...this.#files.keys(), ...this.#directories].filter((each) => each.startsWith(prefix));
    return [...new Set(below.map((each) => each.slice(prefix.length).split('/')[0]!))].filter(Boolean).sort();
  }
}

const asyncName = (name: string) => name.replace(/Sync$/, '');

const withCallback =
  (act: (...args: never[]) => unknown) =>
  (...args: unknown[]): void => {
    const done = args.pop() as (error: unknown, value?: unknown) => void;
    queueMicrotask(() => {
      try {
        done(null, act(...(args as never[])));
      } catch (error) {
        done(error);
      }
    });
  };

const asPromise =
  (act: (...args: never[]) => unknown) =>
  async (...args: unknown[]): Promise<unknown> =>
    act(...(args as never[]));

const absolute = (path: unknown) =>
  posix.resolve('/var/task', path instanceof URL ? decodeURIComponent(path.pathname) : String(path));

/** Only `/tmp` can be written. (Developer Guide, "Configure ephemeral storage for Lambda functions".) */
function writable(path: unknown): string {
  const target = absolute(path);
  if (target.startsWith('/tmp/')) return target;
  throw Object.assign(new Error(`EROFS: read-only file system, open '${target}'`), { code: 'EROFS', errno: -30 });
}

const bytesOf = (data: string | Uint8Array) => (typeof data === 'string' ? new TextEncoder().encode(data) : data);

function decoded(bytes: Uint8Array, encoding: Encoding): string | Buffer {
  const name = typeof encoding === 'string' ? encoding : encoding?.encoding;
  return name ? Buffer.from(bytes).toString(name as BufferEncoding) : Buffer.from(bytes);
}

function missing(path: string, syscall: string): never {
  const error = new Error(`ENOENT: no such file or directory, ${syscall} '${path}'`);
  throw Object.assign(error, { code: 'ENOENT', errno: -2, syscall, path });
}
