import type { InstanceState, NodeState } from './api.ts';

/** The state of an instance or a node, as the page shows it. */
export type Phase =
  | NonNullable<InstanceState['machine']>
  | 'booting'
  | 'idle'
  | 'busy'
  | 'draining'
  | 'pooled'
  | 'offline'
  | 'no-runner'
  | 'trouble'
  | 'unknown';

/** The machine comes first, then the lifecycle, then the runner: a dead machine runs no job, whatever GitHub says. */
export function phaseOfInstance({ machine, lifecycleState, warmPool, healthy, runner }: InstanceState): Phase {
  if (machine !== undefined) return machine;
  if (!healthy) return 'trouble';
  if (warmPool) return 'pooled';
  if (lifecycleState !== 'InService') return phaseOfLifecycle(lifecycleState);
  return runner === 'none' ? 'no-runner' : runner;
}

export function phaseOfNode({ machine, lifecycleState, inCluster, drain }: NodeState): Phase {
  if (machine !== undefined) return machine;
  if (drain !== undefined) return 'draining';
  if (lifecycleState !== 'InService') return phaseOfLifecycle(lifecycleState);
  if (inCluster === undefined) return 'unknown';
  return inCluster ? 'idle' : 'trouble';
}

function phaseOfLifecycle(state: string): Phase {
  if (state.startsWith('Terminating')) return 'draining';
  return state.startsWith('Pending') ? 'booting' : 'unknown';
}

/** A job runs on it, as far as is known. One may run while its instance is drained. */
export function runsJob(instance: InstanceState): boolean {
  const phase = phaseOfInstance(instance);
  return instance.runner === 'busy' && (phase === 'busy' || phase === 'draining');
}
