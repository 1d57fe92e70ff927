import { World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import { replicaPolicy, replicaRepository } from '@drover/core/names/search-cluster';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';

const bucket = 'logs-elsewhere';
const sizes = { masterCount: 1, dataCount: 2 };
const replica = { snapshotReplicaBucket: bucket, snapshotReplicaRegion: 'eu-central-1' };

/** The bucket of the other region, which lets the roles of the account read it. */
async function makeBucket(world: World, objects: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const caller = { credentials: world.rootCredentials };
  await world.aws.call('s3', 'CreateBucket', { Bucket: bucket }, caller);
  const Statement = {
    Effect: 'Allow',
    Principal: { AWS: '*' },
    Action: ['s3:GetObject', 's3:ListBucket'],
    Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
  };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
  await world.aws.call('s3', 'PutBucketPolicy', { Bucket: bucket, Policy }, caller);
  for (const [key, body] of objects) world.operate.putObject(bucket, key, body);
}

/** The stories build on each other. */
describe('a second set of snapshots in another region', () => {
  let stage: ClusterStage;
  let documents: number;
  beforeAll(async () => {
    stage = await ClusterStage.open({ ...sizes, ...replica }, 1, { elsewhere: { [bucket]: 'eu-central-1' } });
  }, 300_000);

  const policies = () => stage.deployed.search<object>('GET', '/_slm/policy');
  const repositories = () => stage.deployed.search<object>('GET', '/_snapshot');
  const keys = async () => {
    const listed: { Contents?: readonly { Key: string }[] } = await stage.deployed.aws('s3', 'ListObjectsV2', {
      Bucket: bucket,
    });
    return (listed.Contents ?? []).map(({ Key }) => Key);
  };

  it('a cluster whose second bucket is missing is deployed, and keeps its other policies', async () => {
    await stage.pass(10);
    expect(await stage.deployed.health()).toBe('green');
    // Its own policy fails each day, until it is overdue.
    expect(Object.keys(await policies())).toEqual(expect.arrayContaining(['hourly-snapshots', replicaPolicy.id]));
    expect(
      stage.deployed.runs.filter(({ stderr }) => stderr.includes('The specified bucket does not exist')),
    ).not.toEqual([]);
  });

  it('the masters register the bucket through the client of its region, and take a snapshot into it each day', async () => {
    await stage.deployed.aws('s3', 'CreateBucket', { Bucket: bucket });
    await stage.pass(15);
    expect(await repositories()).toMatchObject({
      [replicaRepository]: { type: 's3', settings: { bucket, client: 'replica' } },
    });
    const writer = await stage.startWriting({ orders: { number_of_shards: 2, number_of_replicas: 1 } }, 30_000);
    await stage.pass(20);
    writer.stop();
    documents = writer.count;
    await stage.deployed.search('PUT', `/_slm/policy/${replicaPolicy.id}/_execute`);
    await stage.pass(10);
    const { snapshots } = await stage.deployed.search<{ snapshots: readonly { state: string }[] }>(
      'GET',
      `/_snapshot/${replicaRepository}/_all`,
    );
    expect(snapshots.map(({ state }) => state)).toEqual(['SUCCESS']);
  });

  it('a cluster in that region is recovered from the bucket alone, when the first region is lost', async () => {
    const objects = new Map<string, Uint8Array>();
    for (const Key of await keys()) {
      const found: { Body: Uint8Array } = await stage.deployed.aws('s3', 'GetObject', { Bucket: bucket, Key });
      objects.set(Key, found.Body);
    }
    const world = new World({ clock: new VirtualClock(stage.clock.now()), seed: 2 });
    await makeBucket(world, objects);
    const fresh = await ClusterStage.open(sizes, 2, { world });
    const [master] = fresh.deployed.inService(fresh.groups.master);
    const recovered = await fresh.deployed.run(
      master!,
      `cluster-cli snapshots recover-cluster --bucket-name ${bucket} --yes`,
    );
    expect(recovered, recovered.stderr).toMatchObject({ exitCode: 0 });
    await fresh.pass(5);
    expect(await fresh.deployed.search('GET', '/orders/_count')).toMatchObject({ count: documents });
    expect(documents).toBeGreaterThan(30);
    expect(await fresh.deployed.health()).toBe('green');
  }, 300_000);
});
