import { build } from 'esbuild';
import { lambdaBundle } from './functions.ts';

/** The agent as one file that runs on the pinned Node of an instance. */
export async function buildRunnerAgent(): Promise<void> {
  await build({
    entryPoints: ['apps/runner-agent/src/main.ts'],
    outfile: 'apps/runner-agent/dist/runner-agent.cjs',
    ...lambdaBundle,
  });
}
