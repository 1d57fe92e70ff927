import { defineConfig } from 'vitest/config';

const everything = ['{cloud,packages,apps,examples}/*/{src,test}/**/*.test.ts', '{scripts,bench}/**/*.test.ts'];
/** They share a process, which saves loading the same modules a hundred times; the SDKs and CDK are large. */
const together = [
  'cloud/*/src/**/*.test.ts',
  'packages/{core,formats,runner-fleet,search-cluster,adapters,simulation,stage}/src/**/*.test.ts',
  'packages/fleet-runtime/{src,test}/**/*.test.ts',
  'apps/{cluster-cli,functions,runner-agent}/{src,test}/**/*.test.ts',
];
/** Synthesise templates: apart from those that share a process with simulations, which switch CDK's validation off. */
const templates = ['packages/constructs/src/**/*.test.ts', 'packages/constructs/test/*.test.ts'];
/** Hold the doubles to what they promise, each with worlds of its own. */
const contracts = ['cloud/*/test/contract/**/*.test.ts', 'cloud/elasticsearch/test/*.test.ts'];
/** Looks at which modules have been loaded. */
const alone = ['cloud/aws/src/wire/in-process.test.ts'];

export default defineConfig({
  test: {
    testTimeout: 180_000,
    hookTimeout: 300_000,
    pool: 'forks',
    globalSetup: 'scripts/test/temporary-folder.ts',
    setupFiles: ['scripts/asked/record.ts'],
    // Left to itself vitest keeps one core free, which is half of a small machine.
    maxWorkers: '100%',
    projects: [
      { extends: true, test: { name: 'units', include: together, exclude: alone, isolate: false } },
      { extends: true, test: { name: 'templates', include: templates, isolate: false } },
      { extends: true, test: { name: 'contracts', include: contracts, isolate: false } },
      {
        extends: true,
        test: {
          name: 'stories',
          include: everything,
          exclude: [...together, ...templates, ...contracts, '**/node_modules/**'],
        },
      },
      { extends: true, test: { name: 'alone', include: alone } },
    ],
  },
});
