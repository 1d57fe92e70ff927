import { defineConfig } from 'vitest/config';

/** GitHub's own runner under the contract of the runner software: `npm run test:runner`. */
export default defineConfig({
  test: {
    root: '.',
    include: ['cloud/github/test/original/*.story.ts'],
    pool: 'forks',
    testTimeout: 300_000,
    hookTimeout: 60_000,
    globalSetup: 'scripts/test/temporary-folder.ts',
    // Each is a program of .NET, which starts slowly where many start at once.
    maxConcurrency: 3,
  },
});
