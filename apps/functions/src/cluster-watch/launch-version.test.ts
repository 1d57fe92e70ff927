import type { AwsCalls } from '@drover/adapters/aws';
import { stateObjects, upgradeObject } from '@drover/core/names/search-cluster';
import { describe, expect, it } from 'vitest';
import type { CustomResourceEvent } from '../custom-resource.ts';
import { launchVersion } from './launch-version.ts';

/** A state bucket with the intents of upgrades from one version to the next. */
const bucketWith = (...path: readonly string[]): Pick<AwsCalls, 's3'> => {
  const objects = new Map(
    path
      .slice(1)
      .map((to, at) => [upgradeObject(to), JSON.stringify({ from: path[at], to, snapshot: '', startedAt: '' })]),
  );
  return {
    s3: (async (_operation: string, { Key }: { readonly Key: string }) => {
      const Body = objects.get(Key);
      if (Body === undefined) throw Object.assign(new Error('none'), { name: 'NoSuchKey' });
      return { Body };
    }) as unknown as AwsCalls['s3'],
  };
};
const formed = (aws: Pick<AwsCalls, 's3'>): Pick<AwsCalls, 's3'> => ({
  s3: (async (operation: string, input: { readonly Key: string }) =>
    input.Key === stateObjects.formed
      ? { Body: 'uuid' }
      : await aws.s3(operation as 'GetObject', input as never)) as AwsCalls['s3'],
});
const versionOf = (aws: Pick<AwsCalls, 's3'>, wanted: string, before?: string, rollingBack = false) =>
  launchVersion(
    aws,
    'state',
    {
      RequestType: 'Update',
      PhysicalResourceId: '8.17.10',
      ResourceProperties: { ElasticsearchVersion: wanted },
      ...(before === undefined ? {} : { OldResourceProperties: { ElasticsearchVersion: before } }),
    } as unknown as CustomResourceEvent,
    async () => rollingBack,
  );

describe('the version in the user data of search nodes', () => {
  it('a version that the cluster was upgraded to in place does not change the user data', async () => {
    const upgraded = bucketWith('8.18.8', '8.19.21', '9.5.3');
    expect(await versionOf(upgraded, '8.19.21', '8.18.8')).toBe('8.18.8');
    expect(await versionOf(upgraded, '9.5.3', '8.18.8')).toBe('8.18.8');
  });

  it('a deployment with another version leaves the user data of a cluster that has formed as it is: only an upgrade changes it', async () => {
    expect(await versionOf(formed(bucketWith()), '9.5.3', '8.19.21')).toBe('8.17.10');
  });

  it('a version without an upgrade in place is the one that nodes are launched with', async () => {
    expect(await versionOf(bucketWith(), '8.19.21')).toBe('8.19.21');
    expect(await versionOf(bucketWith('8.18.8', '8.19.21'), '8.19.22', '8.19.21')).toBe('8.19.22');
  });

  it('a deployment with an older version than the last one is refused, and a roll-back to it is not', async () => {
    const upgraded = bucketWith('8.18.8', '8.19.21');
    await expect(versionOf(upgraded, '8.18.8', '8.19.21')).rejects.toThrow('no node can be downgraded');
    expect(await versionOf(upgraded, '8.18.8', '8.19.21', true)).toBe('8.18.8');
  });
});
