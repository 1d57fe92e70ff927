import { basename, dirname } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { writeNotices } from './notices.ts';

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

/**
 * Bundles a program that brings its own Node into one file, and writes beside it the licences of what is in it. It is built for the Node of
 * its function or instance, and has to run on the oldest one of a laptop too (docs/decisions/0088).
 */
export const buildProgram = (source: string, outfile: string): Promise<void> =>
  buildInto(outfile, { entryPoints: [source] });

/** The same for a Lambda function. esbuild's own translation of `export` would take 200 bytes of each gzipped bundle. */
export const buildHandler = (source: string, outfile: string): Promise<void> => {
  const contents = `import { handler } from './${basename(source)}'; exports.handler = handler;`;
  const logOverride = { 'commonjs-variable-in-esm': 'silent' } as const;
  return buildInto(outfile, { stdin: { contents, resolveDir: dirname(source) }, logOverride });
};

async function buildInto(outfile: string, entry: BuildOptions): Promise<void> {
  const { metafile } = await build({ ...nodeBundle, target: 'node24', outfile, ...entry, metafile: true });
  writeNotices(dirname(outfile), metafile);
}
