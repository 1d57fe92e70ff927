import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** Files that ask how much they are to play, themselves or by the stories of dying commands. */
const asks = /DROVER_THOROUGH|crashEverywhere/;

const files = ['cloud', 'packages', 'apps'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .map((path) => join(folder, path))
    .filter((path) => asks.test(readFileSync(path, 'utf8'))),
);

/** `npm run test:thorough`: more calls, hours and seeds of files that `npm test` plays in part. */
export default defineConfig({
  test: {
    ...base.test,
    projects: undefined,
    include: files,
    isolate: false,
    env: { ...base.test?.env, DROVER_THOROUGH: '1' },
  },
});
