import { defineConfig } from 'vitest/config';

const everything = ['{cloud,packages,apps,examples}/*/{src,test}/**/*.test.ts', '{scripts,bench}/**/*.test.ts'];
/** Looks at which modules have been loaded. */
const alone = ['cloud/aws/src/wire/in-process.test.ts'];
/** Run programs that npm does not install: `npm run test:outside`. */
const outside = ['**/*.outside.test.ts'];
const elsewhere = ['**/node_modules/**'];

export default defineConfig({
  test: {
    testTimeout: 180_000,
    hookTimeout: 300_000,
    pool: 'forks',
    execArgv: [
      // Worlds are large and short-lived: with the standard 16 MB a sixth of the time goes into copying what still lives.
      '--max-semi-space-size=64',
      // The SDKs do not say that they are CommonJS, and Node.js would parse each of their files once more to find out.
      '--no-experimental-detect-module',
    ],
    globalSetup: 'scripts/test/temporary-folder.ts',
    env: { CDK_VALIDATION: 'false' },
    setupFiles: ['scripts/asked/record.ts'],
    // Left to itself vitest keeps one core free, which is half of a small machine.
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: everything,
          exclude: [...alone, ...outside, ...elsewhere],
          // One process a core for all files: the SDKs, CDK and the cloud are loaded, and made fast, once in each.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: alone } },
      { extends: true, test: { name: 'outside', include: outside, exclude: elsewhere, isolate: false } },
    ],
  },
});
