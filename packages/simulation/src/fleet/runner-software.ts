import { runnerListener as listener, type Program, type RunnerRegistry } from '@drover/embedded-cloud';
import type { Changes } from './changes.ts';

export { listenerName, runnerFile, workerName } from '@drover/embedded-cloud';

/** The platform's own runner software; the machine's agent is woken when a Worker appears or ends. */
export const runnerListener = (registry: RunnerRegistry, changes: Changes): Program =>
  listener(registry, { onChange: () => changes.ring() });
