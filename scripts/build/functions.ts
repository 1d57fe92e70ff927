import { resolve } from 'node:path';
import { build } from 'esbuild';
import { nodeBundle } from './node-bundle.ts';

const lean = 'packages/adapters/src/fleet/lean';

/**
 * A function waits for nothing but its own start, and most of that was the SDK: the bundles have a small stand-in for the
 * dozen calls that they make. docs/decisions/0006 says why; its tests hold it against the SDK.
 */
const leanClients = {
  '@aws-sdk/client-auto-scaling': resolve(lean, 'auto-scaling.ts'),
  '@aws-sdk/client-cloudwatch': resolve(lean, 'cloudwatch.ts'),
  '@aws-sdk/client-secrets-manager': resolve(lean, 'secrets-manager.ts'),
  '@aws-sdk/client-ssm': resolve(lean, 'ssm.ts'),
};

/** One small CommonJS bundle a function. */
export async function buildFunctions(): Promise<void> {
  const names = ['registration', 'deregistration', 'record-metric'];
  await Promise.all(
    names.map((name) =>
      build({
        entryPoints: [`apps/functions/src/${name}/handler.ts`],
        outfile: `apps/functions/dist/${name}/index.js`,
        ...nodeBundle,
        alias: leanClients,
      }),
    ),
  );
}
