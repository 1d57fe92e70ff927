import { defineConfig } from 'vitest/config';

/** The modules for Terraform as their users have them: `npm run test:terraform`. */
export default defineConfig({
  test: {
    root: '.',
    include: ['scripts/release/terraform/*.story.ts'],
    pool: 'forks',
    testTimeout: 600_000,
    hookTimeout: 600_000,
    globalSetup: 'scripts/test/temporary-folder.ts',
    env: { CDK_VALIDATION: 'false' },
    // Each test goes on where the last one ended.
    bail: 1,
  },
});
