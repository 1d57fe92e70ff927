import { VirtualClock } from '@drover/core';
import { usualGroups } from '@drover/core/names/node-groups';
import { expect, it } from 'vitest';
import { health, topology } from '../decide/facts.test-support.ts';
import { publishVitalSigns, type VitalSignsRun } from './publish-vital-signs.ts';

it.each([
  [undefined, 'search', ['search', 'search-data']],
  ['search-production', 'search-production', ['search-production', 'search-production-data']],
])(
  'the elected master publishes with the resource name %s under %s, of its own groups',
  async (resourceName, name, groups) => {
    const asked: unknown[] = [];
    const run = {
      clock: new VirtualClock(),
      resourceName,
      search: {
        elected: { masterNodeId: async () => 'm1' },
        topology: { localNodeId: async () => 'm1', topology: async () => ({ ...topology(), clusterName: 'search' }) },
        health: { health: async () => health() },
        records: { list: async () => [] },
        disks: { disks: async () => [] },
        snapshots: { policyRuns: async () => [] },
      },
      aws: {
        instances: {
          groupsOf: async (of: string) => usualGroups(of),
          ofGroups: async (names: readonly string[]) => void asked.push(names),
        },
        metrics: { put: async (published: string) => void asked.push(published) },
      },
      onWarning: () => {},
    } as unknown as VitalSignsRun;

    await publishVitalSigns(run);

    expect(asked).toEqual([groups, name]);
  },
);
