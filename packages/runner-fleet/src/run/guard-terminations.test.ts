import { jsonLogger, VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import { emptyMemory, type Memory } from '../model/memory.ts';
import { guardTerminations, type TerminationPorts } from './guard-terminations.ts';

const minutes = (count: number) => count * 60_000;

/** A drain with a job that does not end, whose scaling activity is too far back in the list to be found. */
function endlessDrain() {
  const clock = new VirtualClock();
  const completed: string[] = [];
  const instance = { id: 'i-1', lifecycleState: 'Terminating:Wait', healthy: true, protectedFromScaleIn: false };
  const instances = [{ ...instance, inWarmPool: false }];
  let memory: Memory = emptyMemory;
  const ports: TerminationPorts = {
    clock,
    log: jsonLogger({ clock, write: () => {} }),
    group: {
      read: async () => ({
        name: 'runners',
        minSize: 0,
        maxSize: 1,
        desiredCapacity: 0,
        instances: [...instances],
        hasWarmPool: false,
      }),
    },
    hooks: {
      complete: async (id) => {
        completed.push(id);
        return 'accepted';
      },
      heartbeat: async () => 'accepted',
    },
    times: { startedAt: async () => new Map() },
    secrets: { delete: async () => {} },
    runners: { findByName: async () => undefined, keepLabels: async () => {}, remove: async () => 'removed' },
    reports: { read: async () => new Map([['i-1', { at: clock.now(), workers: 1, phase: 'draining' as const }]]) },
    commands: { send: async () => 'sent', recent: async () => [] },
    memory: {
      read: async () => memory,
      update: async (change) => {
        memory = change(memory);
      },
    },
    allowedDrainTimeMs: minutes(15),
  };
  return { clock, ports, completed, instances, memory: () => memory };
}

it('a termination whose scaling activity is not found is completed allowed_drain_time after it was first seen', async () => {
  const { clock, ports, completed } = endlessDrain();
  for (let minute = 0; minute < 15; minute++) {
    await guardTerminations(ports);
    await clock.advance(minutes(1));
  }
  expect(completed).toEqual([]);

  await guardTerminations(ports);

  expect(completed).toEqual(['i-1']);
});

it('a termination is forgotten once no instance of the group is terminating', async () => {
  const { ports, instances, memory } = endlessDrain();
  await guardTerminations(ports);
  expect(memory().terminatingSince).toEqual({ 'i-1': ports.clock.now() });
  instances.pop();

  await guardTerminations(ports);

  expect(memory()).toEqual(emptyMemory);
});

it('the memory of drains holds members of the group only, over 1,000 passes in which one instance is always leaving', async () => {
  const { ports, instances, memory } = endlessDrain();
  const runner = { id: 1, name: '', status: 'online', busy: true, labels: [], customLabels: [] } as const;
  const busy = { ...ports, runners: { ...ports.runners, findByName: async () => runner } };
  for (let pass = 1; pass <= 1000; pass++) {
    instances[0] = { ...instances[0]!, id: `i-${pass}` };
    await guardTerminations(busy);
  }

  expect(Object.keys(memory().terminatingSince)).toEqual(['i-1000']);
  expect(Object.keys(memory().busyReadings)).toEqual(['i-1000']);
});
