import type { Observation } from '@drover/observation/api';
import { expect, it } from 'vitest';
import { offersOf } from './offers.ts';

const state = {
  zones: [
    { name: 'eu-west-1a', lost: true },
    { name: 'eu-west-1b', lost: false },
  ],
  platform: { down: false, rateLimited: false, slowNetwork: false, functionsThrottled: false },
  fleet: { groupName: 'runners', refresh: undefined, instances: [{ id: 'i-0123456789', spot: true }] },
  cluster: {
    groups: [{ name: 'search-data' }],
    refreshes: [{ group: 'search-data', status: 'InProgress' }],
    nodes: [
      { instanceId: 'i-1', name: 'ip-1', role: 'data' },
      { instanceId: 'i-2', name: 'ip-2', role: 'master' },
    ],
  },
} as unknown as Observation;

it('the palette offers every act on every thing, each under a title of its own', () => {
  const titles = offersOf(state).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles).toEqual(
    expect.arrayContaining([
      'Bring eu-west-1a back',
      'Lose eu-west-1b',
      'Take GitHub down',
      'Refresh runners',
      'Cancel refresh of search-data',
      'Reclaim i-0123456789',
      'Hang ip-1',
      'Fill disk of ip-1',
      'Cut off ip-1',
      'Hang ip-2',
      'Replace ip-2',
    ]),
  );
  expect(titles).not.toContain('Fill disk of ip-2');
});

it('an act that nothing takes back is asked about first, and any other can be undone', () => {
  for (const { title, question, undo } of offersOf(state))
    expect([title, question !== undefined || undo !== undefined || title.startsWith('Queue')]).toEqual([title, true]);
});
