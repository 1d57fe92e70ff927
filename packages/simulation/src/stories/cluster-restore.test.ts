import { CreateStackCommand, DescribeStacksCommand, UpdateStackCommand } from '@aws-sdk/client-cloudformation';
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

  it('a cluster that is given a key encrypts its next snapshots with it, still restores older ones, and has failed snapshots when the key is denied', async () => {
    const inputs = { masterCount: 1, dataCount: 2 };
    const stage = await ClusterStage.open(inputs);
    const writer = await stage.startWriting({ orders: { number_of_shards: 1, number_of_replicas: 1 } }, 30_000);
    await stage.pass(70);
    const before = await newest(stage);
    const key = await makeKey(stage);

    await stage.deploy({ ...inputs, snapshotKmsKeyArn: key });
    await stage.pass(60);
    writer.stop();
    const after = await newest(stage);
    expect([before.state, after.state, after.snapshot === before.snapshot]).toEqual(['SUCCESS', 'SUCCESS', false]);
    const encryptions = await Promise.all((await objectsOf(stage)).map((object) => encryptionOf(stage, object)));
    expect(encryptions).toContain('AES256');
    expect(encryptions).toContain(key);

    const [master] = stage.deployed.inService(stage.groups.master);
    for (const { snapshot } of [before, after]) {
      await stage.deployed.search('DELETE', '/orders');
      const restored = await stage.deployed.run(
        master!,
        `cluster-cli snapshots restore backups ${snapshot} --index orders --wait --yes`,
      );
      expect(restored, restored.stderr).toMatchObject({ exitCode: 0, stdout: 'orders\n' });
    }

    await denyKey(stage);
    await stage.pass(60);
    const policies = await stage.deployed.search<Record<string, { last_failure?: { details: string } }>>(
      'GET',
      '/_slm/policy',
    );
    expect(policies['hourly-snapshots']!.last_failure!.details).toMatch(/failed to update snapshot in repository/);
  }, 300_000);
});

async function newest(stage: ClusterStage) {
  const { snapshots } = await stage.deployed.search<{ snapshots: { snapshot: string; state: string }[] }>(
    'GET',
    '/_snapshot/backups/_all',
  );
  return snapshots.at(-1)!;
}

async function objectsOf(stage: ClusterStage): Promise<readonly string[]> {
  const listed = (await stage.deployed.aws('s3', 'ListObjectsV2', { Bucket: bucketOf(stage) })) as {
    Contents: { Key: string }[];
  };
  return listed.Contents.map(({ Key }) => Key);
}

async function encryptionOf(stage: ClusterStage, Key: string): Promise<string> {
  const object = (await stage.deployed.aws('s3', 'GetObject', { Bucket: bucketOf(stage), Key })) as {
    ServerSideEncryption: string;
    SSEKMSKeyId?: string;
  };
  return object.SSEKMSKeyId ?? object.ServerSideEncryption;
}

const keyStack = (...Statement: object[]) => ({
  StackName: 'snapshot-key',
  TemplateBody: JSON.stringify({
    Resources: { Key: { Type: 'AWS::KMS::Key', Properties: { KeyPolicy: { Version: '2012-10-17', Statement } } } },
    Outputs: { Arn: { Value: { 'Fn::GetAtt': ['Key', 'Arn'] } } },
  }),
});
/** Leaves it to IAM who may use the key. */
const byIam = { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::123456789012:root' }, Action: 'kms:*', Resource: '*' };

async function makeKey(stage: ClusterStage): Promise<string> {
  await stage.aws.cloudformation.send(new CreateStackCommand(keyStack(byIam)));
  await stage.pass(5);
  const { Stacks = [] } = await stage.aws.cloudformation.send(new DescribeStacksCommand({ StackName: 'snapshot-key' }));
  return Stacks[0]!.Outputs![0]!.OutputValue!;
}

async function denyKey(stage: ClusterStage): Promise<void> {
  const denied = { Effect: 'Deny', Principal: '*', Action: 'kms:GenerateDataKey', Resource: '*' };
  await stage.aws.cloudformation.send(new UpdateStackCommand(keyStack(byIam, denied)));
  await stage.pass(5);
}
