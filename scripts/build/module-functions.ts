import { build } from 'esbuild';
import { nodeBundle } from './node-bundle.ts';

/** The small functions that come with a module: they make a handful of calls and hold no SDK. */
export async function buildModuleFunctions(): Promise<void> {
  const names = ['certificate-authority', 'web-ui-redeployment'];
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
