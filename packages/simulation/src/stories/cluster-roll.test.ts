import { softwareFile, softwareTag } from '@drover/core/names/search-cluster';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { DyingTakes } from '../scenarios/dying-takes.ts';
import { UpgradeDriver } from '../scenarios/upgrade-driver.ts';

const minute = 60_000;
const hour = 60 * minute;
const inputs = { dataCount: 2 };
const settingsFile = '/etc/elasticsearch/elasticsearch.yml';
const [withSetting, withMore] = ['0.9.1', '0.9.3'];

describe('a roll of the software of a search cluster in which drivers and machines die', () => {
  let stage: ClusterStage;
  let nodes: readonly string[];
  const takes = new DyingTakes();
  beforeAll(async () => {
    stage = await ClusterStage.open(inputs, 3, {
      wrap: takes.wrap,
      filesOf: (version): Readonly<Record<string, string>> =>
        [withSetting, withMore].includes(version)
          ? { [settingsFile]: `http.max_content_length: ${version === withMore ? 2 : 1}00mb\n` }
          : {},
    });
    await stage.deployed.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
    await stage.pass(5);
    nodes = stage.deployed.inService();
  }, 300_000);

  const machine = (id: string) => stage.world.machines.get(id)!;
  const versionOf = (id: string) =>
    (JSON.parse(machine(id).files.get(softwareFile) ?? '{}') as { version?: string }).version;
  const stateOf = (id: string) => stage.world.observe.instance(id)!.tags[softwareTag]?.split(' ')[1];
  const roll = (driver = new UpgradeDriver(stage.deployed)) => stage.drive(driver.roll(), 12 * hour);
  const atRest = async () => ({
    versions: [...new Set(nodes.map(versionOf))],
    states: [...new Set(nodes.map(stateOf))],
    sameNodes: stage.deployed.inService().toSorted().join() === nodes.toSorted().join(),
    health: await stage.deployed.health(),
    records: await stage.deployed.records(),
  });
  const good = (version: string) => ({
    versions: [version],
    states: ['taken'],
    sameNodes: true,
    health: 'green',
    records: [],
  });

  it('a driver that dies at each of its calls is followed by one that goes on, and every node has the software once', async () => {
    await stage.deploySoftware(inputs, { version: '0.9.0' });
    const died: string[] = [];
    for (let call = 0; ; call++) {
      const phase = call % 2 === 0 ? 'before' : 'after';
      const driver = new UpgradeDriver(stage.deployed, { call, phase });
      const { kind } = await roll(driver);
      if (kind !== 'died') break;
      died.push(driver.calls.at(-1)!);
    }
    expect(died).toEqual(expect.arrayContaining(['SendCommand', 'GetCommandInvocation']));
    expect(await atRest()).toEqual(good('0.9.0'));
  }, 300_000);

  it('a driver that dies around the note that every node has the software is followed by one that finishes', async () => {
    await stage.deploySoftware(inputs, { version: '0.9.4' });
    for (const phase of ['before', 'after'] as const) {
      const driver = new UpgradeDriver(stage.deployed, { call: 0, of: 'Invoke', phase });
      expect([(await roll(driver)).kind, driver.calls.at(-1)]).toEqual(['died', 'Invoke']);
    }
    expect(await roll()).toMatchObject({ kind: 'rolled', progress: { taken: 5, of: 5 } });
    expect(await atRest()).toEqual(good('0.9.4'));
  });

  it('a program that dies at each of its calls on a node is sent again by the next roll, until every node has the software', async () => {
    await stage.deploySoftware(inputs, { version: withSetting });
    takes.on = true;
    let end = await roll();
    for (let runs = 0; end.kind !== 'rolled' && runs < 200; runs++) {
      await stage.pass(1);
      end = await roll();
    }
    takes.on = false;
    console.log(`${takes.deaths.length} deaths of the program`);
    expect(end).toMatchObject({ kind: 'rolled', progress: { taken: 5, of: 5 } });
    expect(takes.deaths).toEqual(
      expect.arrayContaining([
        'ec2 CreateTags',
        '/opt/drover/next/bin/take-software',
        '/opt/drover/bin/configure',
        'stop',
      ]),
    );
    expect(await atRest()).toEqual(good(withSetting));
  }, 600_000);

  it.each([
    ['while it configures itself', '0.9.2', (id: string) => stateOf(id) === 'taking'],
    ['while its Elasticsearch is stopped', withMore, (id: string) => !stage.deployed.nodeOf(id).running],
  ])('a machine that is reset %s takes the software with the next roll, in place', async (_when, version, reached) => {
    await stage.deploySoftware(inputs, { version });
    const first = roll();
    if (!(await stage.clock.runUntil(() => nodes.some(reached), hour))) throw new Error(stage.deployed.report());
    stage.world.machines.reset(nodes.find(reached)!);
    const ended = await first;
    // The record of an unfinished restart counts for an hour.
    if (ended.kind !== 'rolled') await stage.pass(80);
    expect(ended.kind === 'rolled' ? ended : await roll()).toMatchObject({ kind: 'rolled', progress: { taken: 5 } });
    expect(await atRest()).toEqual(good(version));
  });
});
