import { build } from 'esbuild';
import { nodeBundle } from './node-bundle.ts';

/** One small CommonJS bundle a function. */
export async function buildFunctions(): Promise<void> {
  const names = ['registration', 'deregistration', 'record-metric'];
  await Promise.all(
    names.map((name) =>
      build({
        entryPoints: [`apps/functions/src/${name}/handler.ts`],
        outfile: `apps/functions/dist/${name}/index.js`,
        ...nodeBundle,
      }),
    ),
  );
}
