import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WhatIfRun } from '@drover/observation/api';

const mostKept = 20;

/** Finished questions, on disk: the newest ones, each with its picture. */
export class KeptRuns {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get nextId(): number {
    return Math.max(0, ...this.#ids()) + 1;
  }

  newestFirst(): readonly WhatIfRun[] {
    return this.#ids()
      .sort((a, b) => b - a)
      .flatMap((id) => this.run(id) ?? []);
  }

  run(id: number): WhatIfRun | undefined {
    const text = this.#read(`${id}.json`);
    return text === undefined ? undefined : (JSON.parse(text) as WhatIfRun);
  }

  picture(id: number): string | undefined {
    return this.#read(`${id}.svg`);
  }

  keep(run: WhatIfRun, picture: string | undefined): void {
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, `${run.id}.json`), JSON.stringify(run));
    if (picture !== undefined) writeFileSync(join(this.#folder, `${run.id}.svg`), picture);
    const ids = this.#ids().sort((a, b) => a - b);
    for (const id of ids.slice(0, Math.max(0, ids.length - mostKept)))
      for (const name of [`${id}.json`, `${id}.svg`]) rmSync(join(this.#folder, name), { force: true });
  }

  #read(name: string): string | undefined {
    const file = join(this.#folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  #ids(): number[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder).flatMap((name) => {
      const id = /^(\d+)\.json$/.exec(name)?.[1];
      return id === undefined ? [] : [Number(id)];
    });
  }
}
