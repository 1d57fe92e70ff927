import { expect } from 'vitest';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';
import { remove, Shutdowns, needs as shutdownNeeds } from './shutdown-cases.ts';
import { needs, repository } from './snapshot-cases.ts';

const quiet = { include_global_state: false };
const slow = { max_snapshot_bytes_per_sec: '10kb' };

/** Text that cannot be made much smaller, and is the same in every run. */
function noise(characters: number): string {
  let state = 7;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state.toString(36);
  };
  let text = '';
  while (text.length < characters) text += next();
  return text;
}

/** One shard of some hundred kilobytes. */
async function heavy(target: ContractTarget, index: string, replicas = 0): Promise<void> {
  await target.index(index, { number_of_shards: 1, number_of_replicas: replicas });
  for (let id = 1; id <= 8; id++)
    await target.must('PUT', `/${index}/_doc/${id}`, { body: { number: id, text: noise(50_000 + id) } });
  await target.must('POST', `/${index}/_flush`);
}

/** A snapshot that takes half a minute. */
async function running(target: ContractTarget, name: string): Promise<Readonly<Record<string, unknown>>> {
  const settings = await repository(target, name, slow);
  await heavy(target, `${name}-books`);
  const body = { ...quiet, indices: `${name}-books` };
  await target.must('PUT', `/_snapshot/${name}/one`, { body });
  await target.until('the snapshot runs', async () => {
    const { body: seen } = await target.get(`/_snapshot/${name}/_current`);
    return seen.snapshots.length === 1;
  });
  return settings;
}

const stateOf = async (target: ContractTarget, path: string): Promise<string | undefined> =>
  (await target.get(`/_snapshot/${path}`)).body.snapshots?.[0]?.state;

contract(
  'an index can be neither closed nor deleted while a snapshot of it runs',
  async (target) => {
    await running(target, 'contract-busy');

    await target.see('close', 'POST', '/contract-busy-books/_close');
    await target.see('delete', 'DELETE', '/contract-busy-books');
    expect(await stateOf(target, 'contract-busy/one')).toBe('IN_PROGRESS');
    await target.must('DELETE', '/_snapshot/contract-busy/one');
    await target.see('delete then', 'DELETE', '/contract-busy-books');
  },
  { needs },
);

contract(
  'a repository can be neither changed nor removed while a snapshot in it runs',
  async (target) => {
    const settings = await running(target, 'contract-used');
    const elsewhere = { ...settings, location: `${settings.location}-elsewhere` };

    await target.see('change', 'PUT', '/_snapshot/contract-used', { body: { type: 'fs', settings: elsewhere } });
    await target.see('remove', 'DELETE', '/_snapshot/contract-used');
    await target.must('DELETE', '/_snapshot/contract-used/one');
  },
  { needs },
);

contract(
  'a running snapshot is shown by current, status and get, and ends when it is deleted',
  async (target) => {
    await running(target, 'contract-shown');

    const { body: current } = await target.must('GET', '/_snapshot/contract-shown/_current');
    expect(current.snapshots[0]).toMatchObject({ snapshot: 'one', state: 'IN_PROGRESS' });
    const { body: status } = await target.must('GET', '/_snapshot/_status');
    expect(status.snapshots[0]).toMatchObject({ snapshot: 'one', repository: 'contract-shown', state: 'STARTED' });
    await target.see('delete', 'DELETE', '/_snapshot/contract-shown/one');
    await target.see('gone', 'GET', '/_snapshot/contract-shown/one');
    await target.see('nothing runs', 'GET', '/_snapshot/contract-shown/_current');
  },
  { needs },
);

contract(
  'a second snapshot is accepted while one runs, and has its own indices',
  async (target) => {
    await running(target, 'contract-second');
    await target.index('contract-second-light', { number_of_shards: 1, number_of_replicas: 0 });

    const body = { ...quiet, indices: 'contract-second-light' };
    await target.see('accepted', 'PUT', '/_snapshot/contract-second/two', { body });
    await target.must('DELETE', '/_snapshot/contract-second/one');
    await target.until('the second is done', async () => (await stateOf(target, 'contract-second/two')) === 'SUCCESS');
  },
  { needs },
);

contract(
  'a snapshot that is being restored cannot be deleted',
  async (target) => {
    await repository(target, 'contract-source', { max_restore_bytes_per_sec: '10kb' });
    await heavy(target, 'contract-source-books');
    const body = { ...quiet, indices: 'contract-source-books' };
    await target.must('PUT', '/_snapshot/contract-source/one?wait_for_completion=true', { body });
    target.cleanup(() => target.delete('/back-contract-source-books?ignore_unavailable=true'));

    await target.must('POST', '/_snapshot/contract-source/one/_restore', {
      body: { rename_pattern: '(.+)', rename_replacement: 'back-$1' },
    });
    const refused = await target.delete('/_snapshot/contract-source/one');
    expect(refused.status).toBe(503);
    expect(refused.body.error.type).toBe('concurrent_snapshot_execution_exception');
    await target.must('DELETE', '/back-contract-source-books');
    await target.until('the restore has ended', async () => {
      return (await target.delete('/_snapshot/contract-source/one')).status === 200;
    });
  },
  { needs },
);

contract(
  'a node loses its shards while a snapshot of them runs, and the snapshot has them all',
  async (target) => {
    const nodes = new Shutdowns(target);
    const key = 'index.routing.allocation.require._name';
    await repository(target, 'contract-moving', { max_snapshot_bytes_per_sec: '40kb' });
    await heavy(target, 'contract-moving-books');
    await target.must('PUT', '/contract-moving-books/_settings', { body: { [key]: nodes.name(1) } });
    await target.until('the shard', async () => (await nodes.copiesOn(1, 'contract-moving-books')).length === 1);
    await target.must('PUT', '/contract-moving-books/_settings', { body: { [key]: null } });
    await target.rest();
    const body = { ...quiet, indices: 'contract-moving-books' };
    await target.must('PUT', '/_snapshot/contract-moving/one', { body });
    await nodes.put(1, remove);

    await nodes.ends(1, 'COMPLETE');
    expect(await nodes.copiesOn(1, 'contract-moving-books')).toEqual([]);
    await target.until(
      'the snapshot is done',
      async () => (await stateOf(target, 'contract-moving/one')) === 'SUCCESS',
    );
    const { shards, failures } = (await target.must('GET', '/_snapshot/contract-moving/one')).body.snapshots[0];
    expect({ shards, failures }).toEqual({ shards: { total: 1, failed: 0, successful: 1 }, failures: [] });
  },
  { needs: [...needs, ...shutdownNeeds] },
);
