import { defineConfig } from 'vitest/config';

/** `drover cluster upgrade` on real nodes of an earlier version, which take many minutes. */
export default defineConfig({
  test: {
    root: '.',
    include: ['apps/drover/test/real/*.real.ts'],
    pool: 'forks',
    testTimeout: 3_000_000,
    hookTimeout: 600_000,
  },
});
