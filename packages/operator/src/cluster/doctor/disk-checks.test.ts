import { expect, it } from 'vitest';
import { disks } from './disk-checks.ts';
import type { ClusterFacts } from './facts.ts';

const read = <T>(value: T) => ({ kind: 'read' as const, value });
const facts = (volumes: readonly object[]) =>
  ({
    disks: read([{ nodeId: 'a', totalBytes: 100, availableBytes: 90 }]),
    lowWatermark: '85%',
    volumes: read(volumes),
  }) as unknown as ClusterFacts;

it('doctor says of data on root volumes that it goes with its instance, and nothing of data on volumes of its own', () => {
  expect(disks(facts([{ sizeGiB: 500 }]))).toEqual({ verdict: 'ok', evidence: 'no disk is above 85 %' });
  expect(disks(facts([])).evidence).toContain('the data is on root volumes: it goes with its instance');
});
