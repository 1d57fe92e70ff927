import { buildClusterCli } from './cluster-cli.ts';
import { buildConsole } from './console.ts';
import { buildFunctions } from './functions.ts';
import { buildModuleFunctions } from './module-functions.ts';
import { buildReplayWorker } from './replay-worker.ts';
import { buildRunnerAgent } from './runner-agent.ts';

/** Everything that is deployed or installed, the functions, the agent, the commands, the console; and what runs for long. */
export async function buildAll(): Promise<void> {
  await Promise.all([
    buildFunctions(),
    buildModuleFunctions(),
    buildRunnerAgent(),
    buildClusterCli(),
    buildConsole(),
    buildReplayWorker(),
  ]);
}
