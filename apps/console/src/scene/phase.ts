import type { InstanceState, NodeState } from '@drover/observation/api';
import type { Phase } from '../words.ts';

/** The phase of a runner's instance. */
export function phaseOfInstance({ lifecycleState, warmPool, healthy, runner }: InstanceState): Phase {
  if (!healthy) return 'trouble';
  if (warmPool) return 'pooled';
  if (lifecycleState.startsWith('Terminating')) return 'draining';
  if (lifecycleState !== 'InService') return 'booting';
  if (runner === 'busy') return 'busy';
  return runner === 'idle' ? 'idle' : 'booting';
}

/** The phase of a search node. */
export function phaseOfNode({ lifecycleState, inCluster, drain }: NodeState): Phase {
  if (drain !== undefined || lifecycleState.startsWith('Terminating')) return 'draining';
  if (lifecycleState.startsWith('Pending')) return 'booting';
  return inCluster ? 'idle' : 'trouble';
}

/** In a cell. */
export const briefly: Readonly<Record<Phase, string>> = {
  booting: 'booting',
  idle: 'ready',
  busy: 'busy',
  draining: 'draining',
  pooled: 'hibernated',
  trouble: 'not working',
};

export const phaseWords: Readonly<Record<Phase, string>> = {
  booting: 'booting',
  idle: 'ready',
  busy: 'running a job',
  draining: 'draining',
  pooled: 'in the warm pool',
  trouble: 'not working',
};
