import { defineConfig } from 'vitest/config';

/** Stories on real machines: each file in namespaces of its own, started by `scripts/test-machines.ts`. */
export default defineConfig({
  test: {
    root: '.',
    include: ['packages/simulation/test/machines/**/*.story.ts'],
    pool: 'forks',
    // Each story waits with limits of its own; the list of stories limits the file.
    testTimeout: 1_500_000,
    hookTimeout: 1_500_000,
    disableConsoleIntercept: true,
  },
});
