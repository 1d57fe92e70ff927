export { type AgentSurroundings, runAgent } from './agent.ts';
export { parseCommandLine } from './command-line.ts';
export { type AgentConfig, configFile, readConfig } from './config.ts';
export { addToOrder, drainOrderFile, parseOrder } from './drain-order.ts';
