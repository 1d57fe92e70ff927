import { CreateStackCommand } from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { alarmName, softwareFile, softwareObject, softwareTag, watchFunction } from '@drover/core/names/search-cluster';
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
    filesOf: (version): Readonly<Record<string, string>> =>
      version === withSetting ? { [settingsFile]: 'http.max_content_length: 200mb\n' } : {},
  });
  await stage.deployed.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await stage.pass(5);
  before = stage.deployed.inService().toSorted();
}, 300_000);

const roll = (...words: string[]) => droverOnCluster(stage, 'cluster', 'roll', ...words);
const machine = (id: string) => stage.world.machines.get(id)!;
const versionOn = (id: string) =>
  (JSON.parse(machine(id).files.get(softwareFile) ?? '{}') as { version?: string }).version;
const versions = () => before.map(versionOn);
const reports = () => before.map((id) => stage.world.observe.instance(id)!.tags[softwareTag]?.split(' ')[1]);
const copied = () => stage.deployed.cluster.services!.recoveries.copiedBytes;
const starts = () => [...stage.deployed.nodes.values()].map(({ startedAtMs }) => startedAtMs);
const pointer = () =>
  JSON.parse(
    Buffer.from(stage.world.observe.object(stage.deployed.facts.state_bucket, softwareObject)!).toString(),
  ) as { version: string; before?: { version: string } };

it('new nodes take the software of the pointer at their boot, and say so', () => {
  expect(versions()).toEqual(Array(5).fill(moduleVersion));
  expect(reports()).toEqual(Array(5).fill('taken'));
});

it('a deployment of other software replaces no node, and a roll has every node take it without a restart', async () => {
  const [moved, started] = [copied(), starts()];
  await stage.deploySoftware(inputs, { version: '0.9.0' });
  expect(pointer()).toMatchObject({ version: '0.9.0', before: { version: moduleVersion } });
  await stage.pass(60);
  expect(versions()).toEqual(Array(5).fill(moduleVersion));
  const { exitCode, stdout, stderr } = await roll();
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^5 of 5 nodes have software 0.9.0/),
  });
  expect(stderr).toMatch(/^0 of 5 nodes have 0.9.0[\s\S]*4 of 5 nodes have 0.9.0/m);
  expect(versions()).toEqual(Array(5).fill('0.9.0'));
  expect({ nodes: stage.deployed.inService().toSorted(), moved: copied(), started: starts() }).toEqual({
    nodes: before,
    moved,
    started,
  });
});

it('software that needs another start of Elasticsearch restarts one node after the other in place, and moves no byte', async () => {
  const [moved, started] = [copied(), starts()];
  await stage.deploySoftware(inputs, { version: withSetting });
  const begun = stage.clock.now();
  const { exitCode, stderr } = await roll();
  const minutes = (stage.clock.now() - begun) / 60_000 / before.length;
  console.log(`a roll with a restart of each node: ${minutes.toFixed(1)} simulated minutes a node`);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining(withSetting) });
  expect(before.map((id) => machine(id).files.get(settingsFile)?.includes('max_content_length'))).toEqual(
    Array(5).fill(true),
  );
  expect(starts().filter((at, index) => at === started[index])).toEqual([]);
  expect({ nodes: stage.deployed.inService().toSorted(), moved: copied() }).toEqual({ nodes: before, moved });
  expect(await stage.deployed.health()).toBe('green');
  expect(await stage.deployed.records()).toEqual([]);
  expect(minutes).toBeLessThan(5);
});

it('a node whose configuration does not settle stops the roll everywhere: alarm, doctor, and no other node is begun', async () => {
  for (const id of before) machine(id).files.set(unsettledFile, '');
  await stage.deploySoftware(inputs, { version: '0.9.2' });
  const { exitCode, stdout, stderr } = await roll();
  expect({ exitCode, stdout }).toEqual({ exitCode: 10, stdout: expect.stringMatching(/^0 of 5 nodes/) });
  expect(stderr).toMatch(/stopped: .*does not settle.*drover cluster roll --back/);
  expect(reports().toSorted()).toEqual(['failed:', 'taken', 'taken', 'taken', 'taken']);
  expect(versions().filter((version) => version === '0.9.2')).toHaveLength(1);
  await stage.pass(15);
  expect(await stage.alarmState(alarmName.rollStopped('logs'))).toBe('ALARM');
  const doctor = await droverOnCluster(stage, 'cluster', 'doctor');
  expect(doctor).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('drover cluster roll --back') });
  expect(await stage.deployed.records()).toEqual([]);
});

it('a roll that is run again begins with the node that failed, and no other', async () => {
  const again = await roll();
  expect(again).toMatchObject({ exitCode: 10, stdout: expect.stringMatching(/^0 of 5 nodes/) });
  expect(versions().filter((version) => version === '0.9.2')).toHaveLength(1);
});

it('--back writes back the pointer before, the failed node alone takes that, and the alarm goes off', async () => {
  for (const id of before) machine(id).files.delete(unsettledFile);
  const { exitCode, stdout, stderr } = await roll('--back');
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(new RegExp(`^5 of 5 nodes have software ${withSetting}`)),
  });
  expect(stderr).toMatch(/^4 of 5 nodes have/m);
  expect(versions()).toEqual(Array(5).fill(withSetting));
  expect(pointer()).toEqual(expect.not.objectContaining({ before: expect.anything() }));
  expect(await roll('--back')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no software before') });
  await stage.pass(15);
  expect(await stage.alarmState(alarmName.rollStopped('logs'))).toBe('OK');
});

it('an archive whose SHA-256 is not that of the pointer changes nothing on any node', async () => {
  await stage.deploySoftware(inputs, { version: '0.9.3', damaged: true });
  const { exitCode, stderr } = await roll();
  expect({ exitCode, stderr }).toEqual({
    exitCode: 10,
    stderr: expect.stringMatching(/its SHA-256 is \w+, expected is 0000/),
  });
  expect({ versions: versions(), reports: reports() }).toEqual({
    versions: Array(5).fill(withSetting),
    reports: Array(5).fill('taken'),
  });
  expect(await roll('--back')).toMatchObject({ exitCode: 0 });
});

it('a changed setting and a plugin reach running nodes by the roll alone, each with a restart in place, and go the same way', async () => {
  const plugin = '/usr/share/elasticsearch/plugins/analysis-icu/plugin-descriptor.properties';
  const state = () =>
    before.map((id) => [
      machine(id).files.get(settingsFile)!.includes('indices.fielddata.cache.size: "20%"'),
      machine(id).files.has(plugin),
    ]);
  const [moved, started] = [copied(), starts()];
  await stage.deploy({
    ...inputs,
    elasticsearchSettings: { 'indices.fielddata.cache.size': '20%' },
    elasticsearchPlugins: ['analysis-icu'],
  });
  // Two runs of Puppet on each node.
  await stage.pass(65);
  expect({ state: state(), started: starts() }).toEqual({ state: Array(5).fill([false, false]), started });
  expect(await roll()).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^5 of 5/) });
  expect({ state: state(), moved: copied() }).toEqual({ state: Array(5).fill([true, true]), moved });
  const restarted = starts();
  expect(restarted.filter((at, index) => at === started[index])).toEqual([]);
  await stage.pass(65);
  expect(starts()).toEqual(restarted);
  await stage.deploy(inputs);
  expect(await roll()).toMatchObject({ exitCode: 0 });
  expect(state()).toEqual(Array(5).fill([false, false]));
  expect(starts().filter((at, index) => at === restarted[index])).toEqual([]);
  expect({ nodes: stage.deployed.inService().toSorted(), health: await stage.deployed.health() }).toEqual({
    nodes: before,
    health: 'green',
  });
});

it('a roll refuses a version of Elasticsearch that the cluster was not upgraded to, and names the command', async () => {
  const runs = () => [...new Set(before.map((id) => stage.deployed.nodeOf(id).version))];
  const [running] = runs();
  await stage.deploy({ ...inputs, elasticsearchVersion: '9.5.3', heapMaxGib: 1 });
  const { exitCode, stderr } = await roll();
  expect({ exitCode, stderr }).toEqual({
    exitCode: 10,
    stderr: expect.stringMatching(/blocked: the stack asks for Elasticsearch 9.5.3.*drover cluster upgrade --to 9.5.3/),
  });
  await stage.pass(65);
  expect(runs()).toEqual([running]);
});

it('an instance that is launched while the software is not proven takes the last proven one, and the version of its cluster', async () => {
  const [lost] = stage.deployed.inService(stage.groups.data).toSorted();
  const stateOf = (id: string) => ({
    version: stage.deployed.nodeOf(id).version,
    heap: machine(id).files.get('/etc/elasticsearch/jvm.options.d/heap.options'),
  });
  const was = stateOf(lost!);
  stage.world.machines.kill(lost!);
  const launched = () => stage.deployed.inService().find((id) => !before.includes(id));
  await stage.until('a successor', () => launched() !== undefined && stage.deployed.inService().length === 5);
  expect(stateOf(launched()!)).toEqual(was);
  await stage.pass(15);
  expect(await roll('--back')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^5 of 5/) });
  before = stage.deployed.inService().toSorted();
});

it('neither a node nor the watch nor an operator with all rights writes below software/', async () => {
  const { world, deployed } = stage;
  const put = { Bucket: deployed.facts.state_bucket, Key: softwareObject, Body: '{}' };
  const nodes = ['master', 'data'] as const;
  const asNode = (kind: (typeof nodes)[number]) =>
    world.machines.credentialsOf(deployed.inService(stage.groups[kind])[0]!)!;
  const configuration = new GetFunctionConfigurationCommand({ FunctionName: watchFunction('logs') });
  const { Role } = await stage.drive(stage.aws.lambda.send(configuration));
  const watch = world.operate.assumeRole(Role!, 'lambda.amazonaws.com', 'watch');
  const operator = await roleWithAllRights();
  const refused = /AccessDenied|not authorized/;
  for (const credentials of [...nodes.map(asNode), watch, operator])
    await expect(stage.drive(world.aws.call('s3', 'PutObject', put, { credentials }))).rejects.toThrow(refused);
  const elsewhere = { ...put, Key: 'note.json' };
  await stage.drive(world.aws.call('s3', 'PutObject', elsewhere, { credentials: operator }));
  expect(pointer()).toMatchObject({ version: moduleVersion });
});

/** As an operator has it who administers the account. */
async function roleWithAllRights() {
  const trust = { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' };
  const everything = { Effect: 'Allow', Action: '*', Resource: '*' };
  const statement = (Statement: object) => ({ Version: '2012-10-17', Statement: [Statement] });
  const role = {
    Type: 'AWS::IAM::Role',
    Properties: {
      RoleName: 'operator',
      AssumeRolePolicyDocument: statement(trust),
      Policies: [{ PolicyName: 'all', PolicyDocument: statement(everything) }],
    },
  };
  const TemplateBody = JSON.stringify({ Resources: { Operator: role } });
  const create = { StackName: 'operator', TemplateBody, Capabilities: ['CAPABILITY_NAMED_IAM' as const] };
  await stage.drive(stage.aws.cloudformation.send(new CreateStackCommand(create)));
  await stage.pass(5);
  const arn = `arn:aws:iam::${stage.world.aws.accountId}:role/operator`;
  return stage.world.operate.assumeRole(arn, 'lambda.amazonaws.com', 'operator');
}
