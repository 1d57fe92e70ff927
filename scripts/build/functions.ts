import { resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

/** One small CommonJS bundle a function, with the AWS SDK inside. */
export async function buildFunctions(): Promise<void> {
  const names = ['registration', 'deregistration', 'record-metric'];
  await Promise.all(
    names.map((name) =>
      build({
        entryPoints: [`apps/functions/src/${name}/handler.ts`],
        outfile: `apps/functions/dist/${name}/index.js`,
        ...lambdaBundle,
        // Lambda gives credentials in the environment; the SDK's search through files, SSO and metadata is dead weight.
        alias: { '@aws-sdk/credential-provider-node': resolve('apps/functions/src/environment-credentials.ts') },
      }),
    ),
  );
}

/** `mainFields` is what makes the SDK small and quick to load: its module builds can be shaken. */
export const lambdaBundle: BuildOptions = {
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
