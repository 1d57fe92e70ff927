export { CodeHost } from './code-host.ts';
export type { JobCounts } from './job-ledger.ts';
export type { Job, JobLoss } from './model.ts';
export { routes } from './routes/routes.ts';
export { listenerName, runnerFile, runnerListener } from './runner/listener.ts';
export { workerName } from './runner/worker.ts';
export type { RunnerRegistry } from './runner-registry.ts';
export { serveCodeHost } from './serve-code-host.ts';
