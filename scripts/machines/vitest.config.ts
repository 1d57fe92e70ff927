import { defineConfig } from 'vitest/config';

/** Stories on real machines: each file in namespaces of its own, started by `scripts/test-machines.ts`. */
export default defineConfig({
  test: {
    root: '.',
    include: ['packages/simulation/test/machines/*.story.ts'],
    pool: 'forks',
    testTimeout: 600_000,
    hookTimeout: 600_000,
    disableConsoleIntercept: true,
  },
});
