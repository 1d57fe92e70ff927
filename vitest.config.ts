import { defineConfig } from 'vitest/config';

const everything = ['{cloud,packages,apps,examples}/*/{src,test}/**/*.test.ts', '{scripts,bench}/**/*.test.ts'];
/** They share a process, which saves loading the same modules a hundred times; the SDKs and CDK are large. */
const together = [
  'cloud/*/src/**/*.test.ts',
  'packages/*/src/**/*.test.ts',
  'packages/fleet-runtime/test/**/*.test.ts',
  'packages/constructs/test/!(*synth).test.ts',
  'apps/{cluster-cli,functions,runner-agent}/{src,test}/**/*.test.ts',
];
/** Synthesise what users deploy, with CDK's validation of the templates, which takes longer than the synthesis. */
const templates = ['packages/constructs/test/*synth.test.ts'];
/** Hold the doubles to what they promise, each with worlds of its own. */
const contracts = ['cloud/*/test/contract/**/*.test.ts', 'cloud/elasticsearch/test/*.test.ts'];
/** Looks at which modules have been loaded. */
const alone = ['cloud/aws/src/wire/in-process.test.ts'];

export default defineConfig({
  test: {
    testTimeout: 180_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // Worlds are large and short-lived: with the standard 16 MB a sixth of the time goes into copying what still lives.
    execArgv: ['--max-semi-space-size=64'],
    globalSetup: 'scripts/test/temporary-folder.ts',
    env: { CDK_VALIDATION: 'false' },
    setupFiles: ['scripts/asked/record.ts'],
    // Left to itself vitest keeps one core free, which is half of a small machine.
    maxWorkers: '100%',
    projects: [
      { extends: true, test: { name: 'units', include: together, exclude: alone, isolate: false } },
      {
        extends: true,
        test: { name: 'templates', include: templates, isolate: false, env: { CDK_VALIDATION: 'true' } },
      },
      { extends: true, test: { name: 'contracts', include: contracts, isolate: false } },
      {
        extends: true,
        test: {
          name: 'stories',
          include: everything,
          exclude: [...together, ...templates, ...contracts, '**/node_modules/**'],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: alone } },
    ],
  },
});
