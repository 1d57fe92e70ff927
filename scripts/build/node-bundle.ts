import type { BuildOptions } from 'esbuild';

/** One small file for Node. `mainFields` is what makes the SDK small and quick to load: its module builds can be shaken. */
export const nodeBundle: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  keepNames: false,
  legalComments: 'none',
  mainFields: ['module', 'main'],
  logLevel: 'warning',
};
