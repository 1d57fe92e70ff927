export { type AgentRuntime, abandon, type CommandRuntime, runAgent } from './agent.ts';
export { parseCommandLine } from './command-line.ts';
export { type AgentConfig, configFile, factsFile, findConfig, readConfig } from './config.ts';
export { addToOrder, drainOrderFile, parseOrder } from './drain-order.ts';
