import { Secret } from '@drover/core';
import type { watchHost } from '@drover/runner-fleet';

type Watched = Parameters<typeof watchHost>[0];

/** An instance that is terminated and gets no command, as its agent sees it. */
export const leavingInstance = {
  metadata: {
    instanceId: async () => 'i-1',
    targetLifecycleState: async () => 'Terminated',
    spotNoticeAt: async () => undefined,
    isAtRisk: async () => false,
    launchedAt: async () => undefined,
  },
  place: {
    lifecycleState: async () => 'Terminating:Wait',
    protect: async () => 'refused',
    completeHook: async () => 'accepted',
    heartbeat: async () => {},
    report: async () => {},
  },
  token: {
    exists: async () => false,
    keepFailed: async () => false,
    read: async () => new Secret(''),
    delete: async () => {},
  },
  instanceId: 'i-1',
  groupName: 'runners',
  extraLabels: [],
  ephemeral: false,
} satisfies Omit<Watched, 'clock' | 'log' | 'host'>;
