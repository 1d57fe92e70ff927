import { expect, it } from 'vitest';
import { TestCluster } from './search-support.ts';

it('a lifecycle policy can be deleted again unless an index uses it', async () => {
  const test = await TestCluster.formed(1);
  const policy = { phases: { delete: { min_age: '30d', actions: { delete: {} } } } };
  await test.put('/_ilm/policy/month', { policy });
  await test.put('/books', { settings: { number_of_replicas: 0, 'index.lifecycle.name': 'month' } });
  const used = await test.delete('/_ilm/policy/month');
  expect([used.status, used.body.error.reason]).toEqual([
    400,
    'Cannot delete policy [month]. It is in use by one or more indices: [books]',
  ]);

  await test.delete('/books');
  expect((await test.delete('/_ilm/policy/month')).body).toEqual({ acknowledged: true });
  expect((await test.delete('/_ilm/policy/month')).status).toBe(404);
});
