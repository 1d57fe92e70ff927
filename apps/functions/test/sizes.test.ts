import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import ceilings from '../ceilings.json' with { type: 'json' };

const sources = fileURLToPath(new URL('../src', import.meta.url));
const bundle = (name: string) => fileURLToPath(new URL(`../dist/${name}/index.js`, import.meta.url));

const remedy =
  'take out what this function does not need (esbuild --analyze shows what fills it), or raise it in apps/functions/ceilings.json ' +
  'with a line in docs/decisions/0077-bundles-have-ceilings.md';

describe('bundles of the functions', () => {
  it('every function has a ceiling for its bundle', () => {
    const functions = readdirSync(sources).filter((name) => existsSync(`${sources}/${name}/handler.ts`));

    expect(Object.keys(ceilings).sort()).toEqual(functions.sort());
  });

  it.each(Object.entries(ceilings))('the gzipped bundle of %s is at most %i bytes', (name, ceiling) => {
    const bytes = gzipSync(readFileSync(bundle(name)), { level: 9 }).length;

    expect(bytes, remedy).toBeLessThanOrEqual(ceiling);
  });
});
