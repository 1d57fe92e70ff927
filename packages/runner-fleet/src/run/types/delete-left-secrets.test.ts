import { jsonLogger, VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import type { RunnerType } from '../../model/types.ts';
import { deleteLeftSecrets } from './delete-left-secrets.ts';

it('a secret of a type without a group is deleted after an hour, one that cannot be keeps no other, and the rest stays', async () => {
  const clock = new VirtualClock();
  const minutesAgo = (minutes: number) => clock.now() - minutes * 60_000;
  const deleted: string[] = [];
  await deleteLeftSecrets({
    clock,
    log: jsonLogger({ clock, write: () => {} }),
    find: async () => [{ groupName: 'ci-small' } as RunnerType],
    secrets: {
      list: async () => [
        { groupName: 'ci-large', instanceId: 'i-refused', storedAt: minutesAgo(90) },
        { groupName: 'ci-large', instanceId: 'i-old', storedAt: minutesAgo(60) },
        { groupName: 'ci-large', instanceId: 'i-new', storedAt: minutesAgo(59) },
        { groupName: 'ci-small', instanceId: 'i-present', storedAt: minutesAgo(90) },
      ],
      delete: async (groupName, instanceId) => {
        if (instanceId === 'i-refused') throw new Error('no');
        deleted.push(`${groupName} ${instanceId}`);
      },
    },
  });

  expect(deleted).toEqual(['ci-large i-old']);
});
