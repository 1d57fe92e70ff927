import { defineConfig } from 'vitest/config';

/** By its name: `npm run test:runner -- outages`. */
const named = process.env.DROVER_STORY;

/** GitHub's own runner under the contract of the runner software: `npm run test:runner`. */
export default defineConfig({
  test: {
    root: '.',
    include:
      named === undefined
        ? ['cloud/github/test/original/*.story.ts', 'packages/stage/test/original/lane/*.story.ts']
        : ['cloud/github/test/original/named', 'packages/stage/test/original'].map((at) => `${at}/${named}.story.ts`),
    pool: 'forks',
    testTimeout: named === undefined ? 300_000 : 4 * 3_600_000,
    hookTimeout: 60_000,
    globalSetup: 'scripts/test/temporary-folder.ts',
    maxWorkers: 2,
    // Each is a program of .NET, which starts slowly where many start at once.
    maxConcurrency: 3,
  },
});
