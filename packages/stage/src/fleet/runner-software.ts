import { runnerListener as listener, type RunnerRegistry } from '@drover/cloud-github';
import type { Program } from '@drover/cloud-machines';
import type { Changes } from './changes.ts';

export { listenerName, runnerFile, workerName } from '@drover/cloud-github';

/** The platform's own runner software; the machine's agent is woken when a Worker appears or ends. */
export const runnerListener = (registry: RunnerRegistry, changes: Changes): Program =>
  listener(registry, { onChange: () => changes.ring() });
