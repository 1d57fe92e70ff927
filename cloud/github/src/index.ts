export { CodeHost } from './code-host.ts';
export { routes } from './http/routes/routes.ts';
export type { JobCounts } from './jobs/job-ledger.ts';
export type { Job, JobLoss } from './model.ts';
export { listenerName, runnerFile, runnerListener } from './runner-software/listener.ts';
export { workerName } from './runner-software/worker.ts';
export type { RunnerRegistry } from './runners/runner-registry.ts';
export { serveCodeHost } from './serve-code-host.ts';
