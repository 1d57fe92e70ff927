import { buildFunctions } from './functions.ts';
import { buildRunnerAgent } from './runner-agent.ts';

/** Everything that is deployed or installed: the functions, the agent, the commands. */
export async function buildAll(): Promise<void> {
  await Promise.all([buildFunctions(), buildRunnerAgent()]);
}
