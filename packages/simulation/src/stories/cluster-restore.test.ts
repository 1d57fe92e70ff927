import { ClusterStage } from '@drover/stage/testing';
import { describe, expect, it } from 'vitest';

const bucketOf = (stage: ClusterStage): string => {
  const [id] = stage.deployed.inService(stage.groups.master);
  const facts = stage.world.machines.get(id!)!.files.get('/etc/puppetlabs/facter/facts.d/custom.json')!;
  return (JSON.parse(facts) as { elasticsearch: { snapshots_bucket: string } }).elasticsearch.snapshots_bucket;
};

/** Copies between two buckets as `aws s3 sync` does. */
async function copyRepository(from: ClusterStage, to: ClusterStage, prefix: string): Promise<void> {
  const [Source, Target] = [bucketOf(from), bucketOf(to)];
  const listed = (await from.deployed.aws('s3', 'ListObjectsV2', { Bucket: Source })) as {
    Contents: { Key: string }[];
  };
  for (const { Key } of listed.Contents) {
    const { Body } = (await from.deployed.aws('s3', 'GetObject', { Bucket: Source, Key })) as { Body: Uint8Array };
    await to.deployed.aws('s3', 'PutObject', { Bucket: Target, Key: `${prefix}/${Key}`, Body });
  }
}

describe('a snapshot of a deployed cluster', () => {
  it('a snapshot is taken on schedule into the repository backups and restored into a new cluster of another stack', async () => {
    const old = await ClusterStage.open({ masterCount: 1, dataCount: 2 });
    const writer = await old.startWriting({ orders: { number_of_shards: 2, number_of_replicas: 1 } }, 30_000);
    await old.pass(30);
    writer.stop();
    await old.pass(45);
    const { snapshots } = await old.deployed.search<{
      snapshots: { snapshot: string; state: string; metadata: { policy: string } }[];
    }>('GET', '/_snapshot/backups/_all');
    const hourly = snapshots.filter(({ metadata }) => metadata.policy === 'hourly-snapshots');
    expect(hourly.map(({ state }) => state)).toContain('SUCCESS');

    const fresh = await ClusterStage.open({ masterCount: 1, dataCount: 2, clusterName: 'restored' }, 2);
    await copyRepository(old, fresh, 'archive');
    const settings = { bucket: bucketOf(fresh), base_path: 'archive', readonly: 'true' };
    await fresh.deployed.search('PUT', '/_snapshot/archive', { type: 's3', settings });
    const [master] = fresh.deployed.inService(fresh.groups.master);
    const name = hourly.at(-1)!.snapshot;
    const restored = await fresh.deployed.run(
      master!,
      `cluster-cli snapshots restore archive ${name} --index orders --wait --yes`,
    );

    expect(restored, restored.stderr).toMatchObject({ exitCode: 0, stdout: 'orders\n' });
    await fresh.pass(5);
    expect(await fresh.deployed.search('GET', '/orders/_count')).toMatchObject({ count: writer.count });
    expect(writer.count).toBeGreaterThan(50);
    expect(await fresh.deployed.health()).toBe('green');
  }, 300_000);
});
