export { type AgentRuntime, abandon, type CommandRuntime, runAgent } from './agent.ts';
export { parseCommandLine } from './command-line.ts';
export { type AgentConfig, configFile, factsFile, findConfig, readConfig } from './config.ts';
export { cleanBeforeJob } from './host/clean-between-jobs.ts';
export { cleanUp } from './host/clean-up.ts';
export { addToOrder, drainOrderFile, parseOrder } from './host/drain-order.ts';
export type { CommandOutput, JournalPage, Kernel, KernelCommand, KernelProcess, UnitStatus } from './host/kernel.ts';
export { bootFiles, bootLog, countWorkers, runnerHost } from './host/runner-host.ts';
export { hookTag, jobHookLine } from './logs/job-events.ts';
