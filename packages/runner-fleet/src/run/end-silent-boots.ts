import type { Clock, Logger } from '@drover/core';
import { hooks } from '@drover/core/names/runner-fleet';
import { decideSilentBoots, noteBootFailures } from '../decide/decide-brake.ts';
import type { FleetInstance } from '../model/fleet.ts';
import type { FleetMemory, HostReports, LifecycleHooks, TransitionTimes } from '../ports.ts';

export interface SilentBootPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly hooks: LifecycleHooks;
  readonly times: TransitionTimes;
  readonly reports: HostReports;
  readonly memory: FleetMemory;
  readonly bootTimeoutMs: number;
}

/** Ends launches whose hosts have fallen silent, and counts them as failed boots: noted first, so that none goes uncounted. */
export async function endSilentBoots(ports: SilentBootPorts, waiting: readonly FleetInstance[]): Promise<void> {
  const { clock, log, bootTimeoutMs } = ports;
  const started = await ports.times.startedAt(waiting.map(({ id }) => id));
  const old = [...started].filter(([, since]) => clock.now() - since >= bootTimeoutMs);
  if (old.length === 0) return;
  const reports = await ports.reports.read(old.map(([id]) => id));
  const boots = old.map(([instanceId, since]) => ({ instanceId, since, report: reports.get(instanceId) }));
  const now = clock.now();
  const { failed, abandon } = decideSilentBoots(boots, await ports.memory.read(), bootTimeoutMs, now);
  if (failed.length === 0) return;
  await ports.memory.update((memory) => ({
    ...memory,
    bootFailures: noteBootFailures(memory.bootFailures, failed, now, waiting),
  }));
  for (const { instanceId, reason } of failed) {
    const kept = !abandon.includes(instanceId);
    log.error(
      kept
        ? 'a boot fell silent; its instance is kept for inspection until its launch hook ends'
        : 'a boot fell silent; its launch is ended',
      { instance: instanceId, reason },
    );
    if (!kept) await ports.hooks.complete(instanceId, hooks.bootstrap.name, 'ABANDON');
  }
}
