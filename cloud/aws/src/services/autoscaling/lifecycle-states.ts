/** States of an instance in a group or its warm pool. Standby and detaching instances are not modelled. */
export type LifecycleState =
  | 'Pending'
  | 'Pending:Wait'
  | 'Pending:Proceed'
  | 'InService'
  | 'Terminating'
  | 'Terminating:Wait'
  | 'Terminating:Proceed'
  | 'Terminating:Retained'
  | 'Terminated'
  | 'Warmed:Pending'
  | 'Warmed:Pending:Wait'
  | 'Warmed:Pending:Proceed'
  | 'Warmed:Pending:Retained'
  | 'Warmed:Stopped'
  | 'Warmed:Running'
  | 'Warmed:Hibernated'
  | 'Warmed:Terminating'
  | 'Warmed:Terminating:Wait'
  | 'Warmed:Terminating:Proceed'
  | 'Warmed:Terminating:Retained'
  | 'Warmed:Terminated';

/** The steady states of a warm pool. */
export type PooledState = 'Warmed:Stopped' | 'Warmed:Running' | 'Warmed:Hibernated';

const pooled: readonly LifecycleState[] = ['Warmed:Stopped', 'Warmed:Running', 'Warmed:Hibernated'];

/**
 * From each state to those that may follow it; a new instance starts in `Pending` or `Warmed:Pending`.
 * Amazon EC2 Auto Scaling instance lifecycle; Lifecycle state transitions for instances in a warm pool;
 * Manage retained instances.
 */
export const lifecycleGraph: Readonly<Record<LifecycleState, readonly LifecycleState[]>> = {
  Pending: ['Pending:Wait', 'InService', 'Terminating'],
  'Pending:Wait': ['Pending:Proceed', 'Terminating'],
  'Pending:Proceed': ['InService', 'Terminating'],
  InService: ['Terminating', 'Warmed:Pending'],
  Terminating: ['Terminating:Wait', 'Terminated'],
  'Terminating:Wait': ['Terminating:Proceed', 'Terminated'],
  'Terminating:Proceed': ['Terminated', 'Terminating:Retained'],
  'Terminating:Retained': ['Terminating', 'Terminated'],
  Terminated: [],
  'Warmed:Pending': ['Warmed:Pending:Wait', ...pooled, 'Warmed:Terminating'],
  'Warmed:Pending:Wait': ['Warmed:Pending:Proceed', 'Warmed:Terminating'],
  'Warmed:Pending:Proceed': [...pooled, 'Warmed:Pending:Retained', 'Warmed:Terminating'],
  'Warmed:Pending:Retained': ['Warmed:Terminating'],
  'Warmed:Stopped': ['Pending', 'Warmed:Terminating'],
  'Warmed:Running': ['Pending', 'Warmed:Terminating'],
  'Warmed:Hibernated': ['Pending', 'Warmed:Terminating'],
  'Warmed:Terminating': ['Warmed:Terminating:Wait', 'Warmed:Terminated'],
  'Warmed:Terminating:Wait': ['Warmed:Terminating:Proceed', 'Warmed:Terminated'],
  'Warmed:Terminating:Proceed': ['Warmed:Terminated', 'Warmed:Terminating:Retained'],
  'Warmed:Terminating:Retained': ['Warmed:Terminating', 'Warmed:Terminated'],
  'Warmed:Terminated': [],
};

/** Whether the instance is in the warm pool, enters it or leaves life from it. */
export const isInPool = (state: LifecycleState): boolean => state.startsWith('Warmed:');

/** Ready in the warm pool. */
export const isPooled = (state: LifecycleState): state is PooledState => pooled.includes(state);

/** Kept after an abandoned termination hook, until an operator releases it. */
export const isRetained = (state: LifecycleState): boolean => state.endsWith(':Retained');

/** On its way out of the group, or kept there. */
export const isLeaving = (state: LifecycleState): boolean => state.includes('Terminat') || isRetained(state);

/** Counts towards the desired capacity: in service, or on the way there. */
export const countsAsCapacity = (state: LifecycleState): boolean =>
  state === 'InService' || state === 'Pending' || state === 'Pending:Wait' || state === 'Pending:Proceed';

/**
 * Where the instance is going, as instance metadata shows it, never where it is
 * (Retrieve the target lifecycle state through instance metadata).
 */
export function targetState(state: LifecycleState, poolTarget: PooledState): LifecycleState {
  if (isPooled(state) || state === 'InService') return state;
  if (state.startsWith('Warmed:Terminat')) return 'Warmed:Terminated';
  if (state.startsWith('Warmed:')) return poolTarget;
  return state.startsWith('Terminat') ? 'Terminated' : 'InService';
}
