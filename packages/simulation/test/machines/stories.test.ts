import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Story, stories } from './stories.ts';

const minutes = (some: readonly Story[]) => some.reduce((sum, { seconds }) => sum + seconds, 0) / 60;

describe('the stories on real machines', () => {
  it('the stories of CI take at most fourteen minutes, and all together five hours', () => {
    expect(minutes(stories.filter(({ core }) => core))).toBeLessThanOrEqual(14);
    expect(minutes(stories)).toBeLessThanOrEqual(300);
  });

  it('every file of stories is in the list', () => {
    const folder = dirname(fileURLToPath(import.meta.url));
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => basename(path));
    const files = found.filter((name) => name.endsWith('.story.ts'));
    expect(stories.map(({ name }) => `${name}.story.ts`).sort()).toEqual(files.sort());
  });
});
