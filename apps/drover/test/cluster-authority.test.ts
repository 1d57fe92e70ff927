import { certificateFiles } from '@drover/core/names/search-cluster';
import { certify, makeKey } from '@drover/functions/certificate-authority';
import { noPackagesFile } from '@drover/stage/cluster';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, expect, it } from 'vitest';
import { droverInterrupted, droverOnCluster } from './operator.test-support.ts';

let stage: ClusterStage;

beforeAll(async () => {
  stage = await ClusterStage.open({ dataCount: 2 }, 1);
  await stage.deployed.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await stage.pass(5);
}, 300_000);

const rotate = (...words: string[]) => droverOnCluster(stage, 'cluster', 'rotate-authority', ...words);
const instances = () => stage.deployed.inService().toSorted();
const machine = (id: string) => stage.world.machines.get(id)!;
const plugin = '/usr/share/elasticsearch/plugins/discovery-ec2/plugin-descriptor.properties';
const authoritiesOn = (id: string) => machine(id).files.get(certificateFiles.authority)!;
const starts = () => [...stage.deployed.nodes.values()].map(({ startedAtMs }) => startedAtMs);
const phase = async () =>
  (JSON.parse((await rotate('--dry-run', '--format', 'json')).stdout) as { phase: string }).phase;

it('an authority that is younger than a day is only confirmed', async () => {
  const before = instances().map(authoritiesOn);
  const { exitCode, stdout, stderr } = await rotate();
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('5 of 5 nodes have shown it') });
  expect(stderr).toContain('--again');
  expect(instances().map(authoritiesOn)).toEqual(before);
});

it('an authority is replaced on every node in three steps, without a restart', async () => {
  const [before, started] = [instances().map(authoritiesOn), starts()];
  const { exitCode, stdout, stderr } = await rotate('--again');
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('is the only authority') });
  expect(stderr.match(/^(trust|sign|forget)\b/gm)).toEqual(['trust', 'sign', 'forget']);
  const after = instances().map(authoritiesOn);
  expect(new Set(after).size).toBe(1);
  expect(after[0]).not.toBe(before[0]);
  expect({ started: starts(), health: await stage.deployed.health() }).toEqual({ started, health: 'green' });
});

it('a node that cannot take its certificates holds the next step up, and is named; once it is mended the same command goes on', async () => {
  const [stuck] = instances();
  machine(stuck!).files.set(noPackagesFile, '');
  machine(stuck!).files.delete(plugin);
  const blocked = await rotate('--again');
  expect(blocked).toMatchObject({
    exitCode: 10,
    stderr: expect.stringMatching(new RegExp(`blocked: ${stuck}: .*exit code 4`)),
  });
  expect(await phase()).toBe('trusted');
  const doctor = await droverOnCluster(stage, 'cluster', 'doctor');
  expect(doctor.stdout).toMatch(
    /both authorities are trusted, the old one signs[\s\S]*drover cluster rotate-authority/,
  );
  const status = await droverOnCluster(stage, 'cluster', 'status');
  expect(status.stdout).toMatch(/authority\s+both authorities are trusted, the old one signs/);
  machine(stuck!).files.delete(noPackagesFile);
  expect(await rotate()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('5 of 5') });
  expect(await phase()).toBe('settled');
});

it('an operator who interrupts it at any moment finds it going on, and no node leaves the cluster', async () => {
  const lost: string[] = [];
  for (const seconds of [1, 30, 75]) {
    await droverInterrupted(stage, seconds * 1000, 'cluster', 'rotate-authority', '--again');
    if ((await stage.deployed.health()) !== 'green') lost.push(`after ${seconds} s`);
  }
  expect(await rotate()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('5 of 5') });
  expect({ lost, phase: await phase() }).toEqual({ lost: [], phase: 'settled' });
});

it('an instance that is launched while two authorities are trusted is waited for', async () => {
  const [data] = stage.deployed.inService(stage.groups.data);
  await droverInterrupted(stage, 20_000, 'cluster', 'rotate-authority', '--again');
  expect(await phase()).not.toBe('settled');
  stage.world.machines.kill(data!);
  const { exitCode } = await rotate();
  // A successor takes longer than the command waits, or not.
  expect([0, 10]).toContain(exitCode);
  await stage.until('five nodes', () => instances().length === 5 && !instances().includes(data!));
  await stage.pass(15);
  expect(await rotate()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('5 of 5') });
  expect(await stage.deployed.health()).toBe('green');
});

it('[rule TLS] a node that starts with an authority which the others do not trust stays out of the cluster', async () => {
  const [id] = stage.deployed.inService(stage.groups.data);
  const files = machine(id!).files;
  const [own, node] = [files.get(certificateFiles.authority)!, files.get(certificateFiles.node)!];
  const other = await certify(await makeKey(), {
    commonName: 'another',
    clock: stage.clock,
    random: stage.world.engine.random,
  });
  files.set(certificateFiles.authority, other);
  files.set(certificateFiles.node, other);
  await stage.drive(machine(id!).stopService('elasticsearch'));
  void machine(id!).startService('elasticsearch');
  await stage.pass(2);
  expect(stage.deployed.nodeOf(id!).running).toBe(false);
  files.set(certificateFiles.authority, own);
  files.set(certificateFiles.node, node);
  await stage.pass(5);
  expect(await stage.deployed.health()).toBe('green');
});
