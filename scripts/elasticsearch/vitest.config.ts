import { defineConfig } from 'vitest/config';

/** The programs of this repository on real nodes, after the contract suite and on the same nodes. */
export default defineConfig({
  test: {
    root: '.',
    include: ['apps/cluster-cli/test/real/*.real.ts'],
    pool: 'forks',
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
