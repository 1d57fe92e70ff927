import { expect, it } from 'vitest';
import { history, manualCase, topology, voting } from '../../decide/facts.test-support.ts';
import { applyDecommission } from './apply-decommission.ts';
import type { DecommissionRun } from './decommission-run.ts';

it.each<[string, readonly string[], readonly string[]]>([
  ['given back when no other node is on the list', ['m1'], ['withdraw m1', 'clear']],
  ['given back, and a master that leaves stays excluded', ['m1', 'm2'], ['withdraw m1', 'clear', 'exclude m2']],
  ['given back, and a master that is gone leaves the list', ['gone', 'm1'], ['withdraw m1', 'clear']],
  ['left alone when it was never taken', ['m2'], ['withdraw m1']],
])('the vote of a master whose drain by hand is withdrawn is %s', async (_, excluded, expected) => {
  const calls: string[] = [];
  const run = {
    search: {
      records: { withdraw: async (nodeId: string) => void calls.push(`withdraw ${nodeId}`) },
      topology: { topology: async () => topology() },
      voting: {
        read: async () => voting({ exclusions: excluded.map((nodeId) => ({ nodeId, nodeName: nodeId })) }),
        clear: async () => void calls.push('clear'),
        exclude: async (nodeId: string) => void calls.push(`exclude ${nodeId}`),
      },
    },
    report: { onAction: () => {} },
  } as unknown as DecommissionRun;

  await applyDecommission(
    run,
    manualCase({ nodeId: 'm1' }),
    { kind: 'withdraw-shutdown', because: 'it stays' },
    history(),
  );

  expect(calls).toEqual(expected);
});
