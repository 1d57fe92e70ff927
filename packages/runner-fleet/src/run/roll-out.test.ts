import { silentLogger, VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import type { FleetInstance, GroupFacts, HostReport } from '../model/fleet.ts';
import { emptyMemory, type Memory } from '../model/memory.ts';
import { type RolloutPorts, rollOut } from './roll-out.ts';

const instance: FleetInstance = {
  id: 'i-1',
  lifecycleState: 'InService',
  healthy: true,
  protectedFromScaleIn: false,
  inWarmPool: false,
};
const group: GroupFacts = {
  name: 'runners',
  minSize: 0,
  maxSize: 4,
  desiredCapacity: 1,
  instances: [instance],
  hasWarmPool: false,
  suspendedProcesses: ['AZRebalance'],
};

/** A fleet in idle mode with a host of an earlier jobs mode that has had its job. */
async function replacedBy(findByName: RolloutPorts['runners']['findByName']): Promise<readonly string[]> {
  const clock = new VirtualClock();
  const finished: HostReport = { at: clock.now(), workers: 0, phase: 'finished', mode: 'jobs' };
  const replaced: string[] = [];
  const unused = () => Promise.reject(new Error('not expected'));
  await rollOut({
    clock,
    log: silentLogger,
    mode: 'idle',
    group: { read: async () => group },
    processes: { suspend: unused },
    members: { markUnhealthy: async (id: string) => void replaced.push(id) },
    size: { setDesired: unused },
    runners: { list: async () => ({ at: clock.now(), pages: [] }), findByName, keepLabels: unused, remove: unused },
    mirror: { read: async () => undefined },
    reports: { read: async () => new Map([['i-1', finished]]) },
    memory: {
      read: async () => emptyMemory,
      update: async (change: (memory: Memory) => Memory) => change(emptyMemory),
    },
    metrics: { put: async () => {} },
    mostAgeMs: undefined,
    replacesAtRisk: false,
  } as unknown as RolloutPorts);
  return replaced;
}

it('a roll-out replaces a host that has finished, and none while the platform is away', async () => {
  expect(await replacedBy(async () => undefined)).toEqual(['i-1']);
  expect(await replacedBy(() => Promise.reject(new Error('the platform does not respond')))).toEqual([]);
});
