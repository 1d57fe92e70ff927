export { CodeHost, type CodeHostOptions } from './code-host.ts';
export { routes } from './http/routes/routes.ts';
export type { JobCounts } from './jobs/job-ledger.ts';
export type { Job, JobLoss, RunnerSession } from './model.ts';
export {
  listenerName,
  runnerDirectory,
  runnerFile,
  standInVersion,
  workerName,
} from './runner-software/runner-files.ts';
export {
  type RunnerSoftwareOptions,
  runnerListener,
  runnerSoftware,
} from './runner-software/simulated/simulated-software.ts';
export type { RunnerRegistry } from './runners/runner-registry.ts';
export type { ScaleSet, Statistics as ScaleSetStatistics } from './scale-sets/scale-set.ts';
export { serviceRoutes } from './scale-sets/service-routes.ts';
export { serveCodeHost } from './serve-code-host.ts';
