import { jsonLogger, Secret, VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import type { ConfigureOutcome, RunnerHost } from '../host-ports.ts';
import { type WatchPorts, watchHost } from './watch-host.ts';

interface Situation {
  readonly tokenWaits: boolean;
  readonly outcome?: ConfigureOutcome;
}

/** An instance in service whose runner does not stay up. */
function watched({ tokenWaits, outcome = { kind: 'configured' } }: Situation) {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const counts = { started: 0, configured: 0 };
  const host: RunnerHost = {
    workers: () => 0,
    isConfigured: () => true,
    configureRunner: async () => {
      counts.configured += 1;
      return outcome;
    },
    serviceActive: () => false,
    startService: async () => {
      counts.started += 1;
    },
    stopService: async () => {},
    silence: async () => {},
    silenced: () => false,
    drainOrder: () => undefined,
    waitForChange: (mostMs) => clock.sleep(mostMs),
  };
  const ports: WatchPorts = {
    clock,
    log: jsonLogger({ clock, write: () => {} }),
    host,
    metadata: {
      instanceId: async () => 'i-1',
      targetLifecycleState: async () => 'InService',
      spotNoticeAt: async () => undefined,
    },
    place: {
      lifecycleState: async () => 'InService',
      protect: async () => 'done',
      completeHook: async () => {},
      heartbeat: async () => {},
      report: async () => {},
    },
    token: { exists: async () => tokenWaits, read: async () => new Secret('token'), delete: async () => {} },
    instanceId: 'i-1',
    groupName: 'runners',
    extraLabels: [],
    signal: abort.signal,
  };
  void watchHost(ports);
  return { clock, counts, stop: () => abort.abort() };
}

describe('the agent', () => {
  it('pauses before it starts a runner again that ended at once', async () => {
    const { clock, counts, stop } = watched({ tokenWaits: false });

    await clock.advance(60_000);
    stop();

    expect(counts.started).toBeGreaterThan(1);
    expect(counts.started).toBeLessThanOrEqual(7);
  });

  it('pauses before it asks a platform again that did not take the registration', async () => {
    const { clock, counts, stop } = watched({ tokenWaits: true, outcome: { kind: 'platform-failed', message: '503' } });

    await clock.advance(60_000);
    stop();

    expect(counts.configured).toBeGreaterThan(1);
    expect(counts.configured).toBeLessThanOrEqual(7);
  });
});
