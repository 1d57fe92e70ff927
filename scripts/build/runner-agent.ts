import { build } from 'esbuild';
import { nodeBundle } from './node-bundle.ts';

/** The agent as one file that runs on the pinned Node of an instance. */
export async function buildRunnerAgent(): Promise<void> {
  await build({
    entryPoints: ['apps/runner-agent/src/main.ts'],
    outfile: 'apps/runner-agent/dist/runner-agent.cjs',
    ...nodeBundle,
  });
}
