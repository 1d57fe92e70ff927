import { defineConfig } from 'vitest/config';

/** The console in a real browser: `npm run test:browser`. */
export default defineConfig({
  test: {
    root: '.',
    include: ['apps/drover/test/outside/*.story.ts'],
    pool: 'forks',
    // Each has a world and a browser: beside each other they would only be slower.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 300_000,
    globalSetup: 'scripts/test/temporary-folder.ts',
  },
});
