/** Builds everything that is deployed or installed: the functions, the agent, the commands. */
import { buildFunctions } from './build/functions.ts';

await buildFunctions();
