import { expect, it } from 'vitest';
import { TestCluster } from './search-support.ts';

const policy = (more: Record<string, unknown> = {}) => ({
  schedule: '0 30 1 * * ?',
  name: '<nightly-{now/d}>',
  repository: 'backups',
  config: { indices: '*' },
  ...more,
});

async function withRepository(settings: Record<string, string> = {}): Promise<TestCluster> {
  const test = await TestCluster.formed(1, { settings: { 'path.repo': ['/mnt'], ...settings } });
  await test.put('/_snapshot/backups', { type: 'fs', settings: { location: '/mnt/backups' } });
  return test;
}

const names = async (test: TestCluster): Promise<string[]> =>
  (await test.get('/_snapshot/backups/_all')).body.snapshots.map(({ snapshot }: { snapshot: string }) => snapshot);

it('[rule 26] refuses a policy for a repository that is not there', async () => {
  const test = await TestCluster.formed(1);
  const answer = await test.put('/_slm/policy/nightly', policy());
  expect(answer.status).toBe(400);
  expect(answer.body.error).toMatchObject({
    type: 'illegal_argument_exception',
    reason: 'no such repository [backups]',
  });
  expect((await test.get('/_slm/policy')).body).toEqual({});
});

it('[rule 26] appends something random to the name of every snapshot it takes', async () => {
  const test = await withRepository();
  await test.put('/_slm/policy/nightly', policy({ name: 'plain' }));
  const first = (await test.post('/_slm/policy/nightly/_execute')).body.snapshot_name;
  await test.clock.advance(60_000);
  const second = (await test.post('/_slm/policy/nightly/_execute')).body.snapshot_name;
  await test.clock.advance(60_000);
  expect(first).toMatch(/^plain-[a-z0-9_-]{22}$/);
  expect(second).toMatch(/^plain-[a-z0-9_-]{22}$/);
  expect(second).not.toBe(first);
  expect(await names(test)).toEqual([first, second]);
});

it('[rule 26] deletes by retention at its own time, not when the next snapshot is taken', async () => {
  const test = await withRepository();
  await test.put('/_cluster/settings', { persistent: { 'slm.retention_schedule': '0 0 12 * * ?' } });
  await test.put('/_slm/policy/nightly', policy({ retention: { max_count: 1 } }));
  await test.clock.advance(86_400_000);
  const [kept] = (await names(test)).slice(-1);
  const hour = () => new Date(test.clock.now()).getUTCHours();
  while (hour() !== 2) await test.clock.advance(600_000);

  // The second night has its snapshot and the surplus one is still there, until noon.
  const both = await names(test);
  expect(both).toContain(kept);
  expect(both).toHaveLength(2);
  while (hour() !== 13) await test.clock.advance(600_000);
  expect(await names(test)).toEqual([both[1]]);
});

it('[rule 26] counts days of the week from Sunday, which is 1', async () => {
  const test = await withRepository();
  await test.put('/_slm/policy/weekly', policy({ schedule: '0 0 3 ? * 1' }));
  const { next_execution_millis: next } = (await test.get('/_slm/policy/weekly')).body.weekly;
  expect(new Date(next).getUTCDay()).toBe(0);
  expect(new Date(next).getUTCHours()).toBe(3);

  await test.put('/_slm/policy/weekly', policy({ schedule: '0 0 3 ? * MON' }));
  const monday = (await test.get('/_slm/policy/weekly')).body.weekly.next_execution_millis;
  expect(new Date(monday).getUTCDay()).toBe(1);
});
