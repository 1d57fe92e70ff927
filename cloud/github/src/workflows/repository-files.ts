import { createHash } from 'node:crypto';
import type { Clock } from '@drover/core';

export interface RepositoryFile {
  readonly path: string;
  readonly content: Buffer;
  /** Of git's blob. */
  readonly sha: string;
  readonly since: number;
}

/** The branch that every repository has here, and the only one. */
export const onlyBranch = 'main';

/** The files of repositories, as they are now: no history. */
export class RepositoryFiles {
  readonly #clock: Clock;
  readonly #files = new Map<string, RepositoryFile>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(repository: string, path: string): RepositoryFile | undefined {
    return this.#files.get(keyOf(repository, path));
  }

  /** The files directly in a folder, by path. */
  within(repository: string, folder: string): readonly RepositoryFile[] {
    const start = keyOf(repository, folder === '' ? '' : `${folder}/`);
    const found = [...this.#files].filter(([key]) => key.startsWith(start) && !key.slice(start.length).includes('/'));
    return found.map(([, file]) => file).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  put(repository: string, path: string, content: Buffer): RepositoryFile {
    const file = { path, content, sha: blobSha(content), since: this.#clock.now() };
    this.#files.set(keyOf(repository, path), file);
    return file;
  }

  delete(repository: string, path: string): void {
    this.#files.delete(keyOf(repository, path));
  }
}

const keyOf = (repository: string, path: string) => `${repository.toLowerCase()}\n${path}`;

/** As `git hash-object` has it. */
const blobSha = (content: Buffer) =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
