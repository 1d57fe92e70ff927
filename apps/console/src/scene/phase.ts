import type { Phase } from '@drover/observation/phase';

/** In a cell. */
export const briefly: Readonly<Record<Phase, string>> = {
  booting: 'booting',
  idle: 'ready',
  busy: 'busy',
  draining: 'draining',
  pooled: 'hibernated',
  offline: 'offline',
  'no-runner': 'no runner',
  gone: 'gone',
  hung: 'hung',
  full: 'disk full',
  unreachable: 'cut off',
  trouble: 'not working',
  unknown: 'not known',
};

export const phaseWords: Readonly<Record<Phase, string>> = {
  ...briefly,
  busy: 'running a job',
  pooled: 'in the warm pool',
  offline: 'its runner is offline',
  'no-runner': 'in service without a runner',
  gone: 'its machine is gone',
  hung: 'its machine hangs',
  full: 'its disk is full',
  unreachable: 'no other node reaches it',
};

const looks: Readonly<Partial<Record<Phase, string>>> = {
  gone: 'trouble gone',
  hung: 'trouble',
  full: 'trouble',
  unreachable: 'trouble',
  offline: 'away',
  'no-runner': 'away',
  unknown: 'away',
};

/** The class of a cell: phases that look alike share one. */
export const lookOf = (phase: Phase): string => looks[phase] ?? phase;
