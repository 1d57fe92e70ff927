import { defineConfig } from 'vitest/config';

/** The documents: the site, and the commands in them, on the embedded cloud: `npm run test:docs`. */
export default defineConfig({
  test: {
    root: '.',
    include: ['scripts/docs/*.story.ts'],
    pool: 'forks',
    testTimeout: 300_000,
    hookTimeout: 500_000,
    globalSetup: 'scripts/test/temporary-folder.ts',
    // A page goes on with what the pages before it have left.
    bail: 1,
    fileParallelism: false,
  },
});
