import { replicaPolicy, replicaRepository } from '@drover/core/names/search-cluster';
import { expect, it } from 'vitest';
import type { SlmPolicy } from '../model/snapshot.ts';
import type { RepositoryPlace, SnapshotPolicies, SnapshotRepositories } from '../snapshot-ports.ts';
import { keepReplica } from './keep-replica.ts';

const place = { bucket: 'elsewhere', client: 'replica' };

/** A cluster with a repository, or none, and what was asked of it. */
function cluster(registered?: RepositoryPlace, usable = true) {
  const asked: string[] = [];
  const places = new Map(registered === undefined ? [] : [[replicaRepository, registered]]);
  const put = new Map<string, SlmPolicy>();
  const failures = usable ? [] : [{ node: 'data-1', why: 'Access Denied' }];
  const repositories: SnapshotRepositories = {
    exists: async (name) => places.has(name),
    placeOf: async (name) => places.get(name),
    register: async (name, { bucket, client = 'default' }) => {
      asked.push(`register ${bucket} by ${client}`);
      places.set(name, { bucket, client });
    },
    verify: async () => ({ verifiedBy: [], failures }),
    forget: async (name) => {
      asked.push('forget');
      places.delete(name);
    },
  };
  const policies: SnapshotPolicies = {
    list: async () => Object.fromEntries(put),
    put: async (id, policy) => {
      asked.push(`put ${id} into ${policy.repository}`);
      put.set(id, policy);
    },
    remove: async (id) => {
      asked.push(`remove ${id}`);
      put.delete(id);
    },
    retentionSchedule: async () => '0 15 * * * ?',
    setRetentionSchedule: async () => undefined,
  };
  const keep = (wanted: RepositoryPlace | undefined) =>
    keepReplica({ policies, repositories, clusterName: 'logs', place: wanted });
  return { asked, keep };
}

it('a second repository is registered with its policy, once', async () => {
  const { asked, keep } = cluster();
  expect(await keep(place)).toMatchObject([{ policy: replicaPolicy.id, state: 'created' }]);
  expect(await keep(place)).toMatchObject([{ state: 'unchanged' }]);
  expect(asked).toEqual(['register elsewhere by replica', `put ${replicaPolicy.id} into ${replicaRepository}`]);
});

it('a second repository whose bucket or region was changed is registered again', async () => {
  const { asked, keep } = cluster({ bucket: 'before', client: 'default' });
  await keep(place);
  expect(asked[0]).toBe('register elsewhere by replica');
});

it('a second repository that a node cannot use has its policy all the same, which will be overdue', async () => {
  const { asked, keep } = cluster(undefined, false);
  await expect(keep(place)).rejects.toThrow('data-1: Access Denied');
  expect(await keep(place)).toMatchObject([{ policy: replicaPolicy.id, state: 'unchanged' }]);
  expect(asked).toEqual(['register elsewhere by replica', `put ${replicaPolicy.id} into ${replicaRepository}`]);
});

it('a second repository is forgotten without the input, its policy first; one that was never there is not asked for', async () => {
  const had = cluster(place);
  expect(await had.keep(undefined)).toEqual([{ policy: replicaPolicy.id, state: 'removed', differs: [] }]);
  expect(had.asked).toEqual([`remove ${replicaPolicy.id}`, 'forget']);
  const never = cluster();
  expect([await never.keep(undefined), never.asked]).toEqual([[], []]);
});
