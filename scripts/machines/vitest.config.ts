import { defineConfig } from 'vitest/config';

/** How much longer everything may take here, as for the stories themselves. */
const slower = Number(process.env.DROVER_SLOWER ?? 1);

/** Stories on real machines: each file in namespaces of its own, started by `scripts/test-machines.ts`. */
export default defineConfig({
  test: {
    root: '.',
    include: ['packages/simulation/test/machines/**/*.story.ts'],
    pool: 'forks',
    // Each story waits with limits of its own; the list of stories limits the file.
    testTimeout: 3_600_000 * slower,
    hookTimeout: 3_600_000 * slower,
    disableConsoleIntercept: true,
  },
});
