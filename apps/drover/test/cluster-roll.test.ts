import { DescribeLaunchTemplateVersionsCommand } from '@aws-sdk/client-ec2';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { alarmName, softwareFile, softwareObject, softwareTag } from '@drover/core/names/search-cluster';
import { moduleVersion } from '@drover/core/names/version';
import { unsettledFile } from '@drover/stage/cluster';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, expect, it } from 'vitest';
import { droverOnCluster } from './operator.test-support.ts';

const inputs = { dataCount: 2 };
const settingsFile = '/etc/elasticsearch/elasticsearch.yml';
/** One version of the software changes a file that Elasticsearch reads when it starts. */
const withSetting = '0.9.1';
let stage: ClusterStage;
let before: readonly string[];

beforeAll(async () => {
  stage = await ClusterStage.open(inputs, 1, {
    filesOf: (version) => (version === withSetting ? { [settingsFile]: 'http.max_content_length: 200mb\n' } : {}),
  });
  await stage.deployed.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await stage.pass(5);
  before = stage.deployed.inService().toSorted();
}, 300_000);

const roll = (...words: string[]) => droverOnCluster(stage, 'cluster', 'roll', ...words);
const machine = (id: string) => stage.world.machines.get(id)!;
const versionOn = (id: string) => (JSON.parse(machine(id).files.get(softwareFile) ?? '{}') as { version?: string }).version;
const versions = () => before.map(versionOn);
const reports = () => before.map((id) => stage.world.observe.instance(id)!.tags[softwareTag]?.split(' ')[1]);
const copied = () => stage.deployed.cluster.services!.recoveries.copiedBytes;
const starts = () => [...stage.deployed.nodes.values()].map(({ startedAt }) => startedAt);
const pointer = async () => {
  const Bucket = stage.deployed.facts.state_bucket;
  const { Body } = await stage.drive(stage.aws.s3.send(new GetObjectCommand({ Bucket, Key: softwareObject })));
  return JSON.parse(await Body!.transformToString()) as { version: string; before?: { version: string } };
};

it('new nodes take the software of the pointer at their boot, and say so', () => {
  expect(versions()).toEqual(Array(5).fill(moduleVersion));
  expect(reports()).toEqual(Array(5).fill('taken'));
});

it('a deployment of other software replaces no node, and a roll has every node take it without a restart', async () => {
  const [moved, started] = [copied(), starts()];
  await stage.deploySoftware(inputs, { version: '0.9.0' });
  expect(await pointer()).toMatchObject({ version: '0.9.0', before: { version: moduleVersion } });
  await stage.pass(60);
  expect(versions()).toEqual(Array(5).fill(moduleVersion));
  const { exitCode, stdout, stderr } = await roll();
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^5 of 5 nodes have software 0.9.0/) });
  expect(stderr).toMatch(/^0 of 5 nodes have 0.9.0[\s\S]*4 of 5 nodes have 0.9.0/m);
  expect(versions()).toEqual(Array(5).fill('0.9.0'));
  expect({ nodes: stage.deployed.inService().toSorted(), moved: copied(), started: starts() }).toEqual({ nodes: before, moved, started });
});
