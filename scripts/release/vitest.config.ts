import { defineConfig } from 'vitest/config';

/** The packages as their users have them: `npm run test:packages`. */
export default defineConfig({
  test: {
    root: '.',
    include: ['scripts/release/*.story.ts', 'scripts/release/tutorial/*.story.ts'],
    pool: 'forks',
    // Two at once also on a machine with two cores: each waits for package managers most of the time.
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 900_000,
    globalSetup: ['scripts/test/temporary-folder.ts', 'scripts/release/released.ts'],
    // Each test goes on where the last one ended.
    bail: 1,
  },
});
