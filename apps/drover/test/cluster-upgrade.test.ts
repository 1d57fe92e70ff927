import { searchNodeFacts, upgradeObject } from '@drover/core/names/search-cluster';
import { installedVersion, noPackagesFile } from '@drover/stage/cluster';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, expect, it } from 'vitest';
import { droverOnCluster } from './operator.test-support.ts';

const from = '8.18.8';
const to = '8.19.21';
const inputs = { dataCount: 2, elasticsearchVersion: from };
let stage: ClusterStage;

beforeAll(async () => {
  stage = await ClusterStage.open(inputs);
  await stage.deployed.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await stage.pass(5);
}, 300_000);

const upgrade = (...words: string[]) => droverOnCluster(stage, 'cluster', 'upgrade', '--to', to, ...words);
const starts = () => [...stage.deployed.nodes.values()].map(({ startedAtMs }) => startedAtMs);
const versions = () => [...stage.deployed.nodes.values()].map(({ version }) => version);
const machines = () => stage.deployed.inService().map((id) => stage.world.machines.get(id)!);
/** Of the package and of the plugin, which both are on disk. */
const files = () => [
  ...machines().map(installedVersion),
  ...machines().map((machine) => /version=(.*)/.exec(machine.files.get(plugin) ?? '')?.[1]),
];
const plugin = '/usr/share/elasticsearch/plugins/discovery-ec2/plugin-descriptor.properties';

it('a dry run prints the order, data before masters, and every check', async () => {
  const { exitCode, stdout } = await upgrade('--dry-run', '--format', 'json');
  const { order, blockers, checks } = JSON.parse(stdout);
  expect({ exitCode, blockers }).toEqual({ exitCode: 0, blockers: [] });
  expect(order.map(({ roles }: { roles: string[] }) => roles.includes('master'))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  expect(checks.map(({ check }: { check: string }) => check)).toContain('started-copy-elsewhere');
  expect(versions()).toEqual(Array(5).fill(from));
});

it('a dry run says how long replacing the data nodes would take instead, and that CloudFormation does not wait for it', async () => {
  const rate = (value: string | null) => ({ transient: { 'indices.recovery.max_bytes_per_sec': value } });
  await stage.deployed.search('PUT', '/lone', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  await stage.pass(1);
  stage.deployed.cluster.inflate('lone', 200_000);
  const fast = JSON.parse((await upgrade('--dry-run', '--format', 'json')).stdout).replacement;
  await stage.deployed.search('PUT', '/_cluster/settings', rate('1b'));
  const slow = await upgrade('--dry-run', '--format', 'json');
  const { stdout } = await upgrade('--dry-run');
  await stage.deployed.search('PUT', '/_cluster/settings', rate(null));
  await stage.deployed.search('DELETE', '/lone');
  expect(fast).toMatchObject({ endsInTime: true });
  expect(JSON.parse(slow.stdout).replacement).toMatchObject({ bytes: fast.bytes, endsInTime: false });
  expect(stdout).toMatch(
    /replacing the data nodes instead would move .* in about 55 h .* CloudFormation waits 36 h 0 min/,
  );
});

it('an upgrade cannot be resumed before it was started, nor skip a check that does not exist', async () => {
  expect((await upgrade('--resume')).exitCode).toBe(2);
  expect(await upgrade('--skip', 'nonsense')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('no such check'),
  });
});

it('an upgrade whose first node cannot get its package says why in the words of apt before the node is stopped, and does not go on by itself when the mirror is back', async () => {
  for (const machine of machines()) machine.files.set(noPackagesFile, '');
  const started = starts();
  const { exitCode, stdout, stderr } = await upgrade();
  for (const machine of machines()) machine.files.delete(noPackagesFile);
  expect({ exitCode, stdout }).toMatchObject({
    exitCode: 10,
    stdout: expect.stringMatching(/blocks {3}pre-flight: .*E: Failed to fetch/),
  });
  expect(starts()).toEqual(started);
  expect(stderr).toContain(`snapshot before-upgrade-${to} started`);
  await stage.pass(65);
  const [host] = stage.deployed.inService(stage.groups.data);
  stage.world.machines.reset(host!);
  await stage.pass(10);
  expect({ versions: versions(), files: files() }).toEqual({
    versions: Array(5).fill(from),
    files: Array(10).fill(from),
  });
  expect(await prepareAnew()).toMatchObject({ exitCode: 0, version: undefined });
  expect(await stage.deployed.health()).toBe('green');
});

it('an upgrade takes every node to the new version in place, without copying a byte', async () => {
  const copied = () => stage.deployed.cluster.services!.recoveries.copiedBytes;
  const ids = [...stage.deployed.nodes.values()].map(({ id }) => id);
  const before = copied();
  const { exitCode, stderr } = await upgrade('--resume');
  expect({ exitCode, versions: versions() }, stderr).toEqual({ exitCode: 0, versions: Array(5).fill(to) });
  expect([...stage.deployed.nodes.values()].map(({ id }) => id)).toEqual(ids);
  expect(copied() - before).toBe(0);
  expect(await stage.deployed.health()).toBe('green');
  expect(await stage.deployed.records()).toEqual([]);
});

it('an upgrade that is done has nothing to do', async () => {
  expect(await upgrade()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`every node runs ${to}`) });
});

it('a later run of the configuration does not go back to the version of the user data', async () => {
  await stage.pass(65);
  expect({ versions: versions(), files: files() }).toEqual({ versions: Array(5).fill(to), files: Array(10).fill(to) });
  expect(await stage.deployed.health()).toBe('green');
});

it('the deployment that follows an upgrade replaces no node', async () => {
  const before = stage.deployed.members();
  await stage.deploy({ ...inputs, elasticsearchVersion: to });
  await stage.pass(15);
  expect(stage.deployed.members()).toEqual(before);
  expect(versions()).toEqual(Array(5).fill(to));
});

it('a deployment with an older version than the last one is refused', async () => {
  await expect(stage.deploy(inputs)).rejects.toThrow('no node can be downgraded');
  expect(versions()).toEqual(Array(5).fill(to));
});

/** As the first boot of an instance does it. */
const prepareAnew = async () => {
  const [host] = stage.deployed.inService(stage.groups.data);
  const { files } = stage.world.machines.get(host!)!;
  files.delete(searchNodeFacts.file);
  const { exitCode, stderr } = await stage.deployed.run(host!, 'cluster-cli node prepare');
  return { exitCode, stderr, version: JSON.parse(files.get(searchNodeFacts.file) ?? '{}').search_node?.version };
};

it('a new node takes the version that its cluster was upgraded to', async () => {
  expect(await prepareAnew()).toMatchObject({ exitCode: 0, version: to });
});

it('a new node with the old version of the user data is refused before it starts', async () => {
  const Bucket = stage.deployed.facts.state_bucket;
  await stage.drive(stage.deployed.aws('s3', 'DeleteObject', { Bucket, Key: upgradeObject(to) }));
  expect(await prepareAnew()).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`every node of the cluster runs ${to}`),
  });
});
