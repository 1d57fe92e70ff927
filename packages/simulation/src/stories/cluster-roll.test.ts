import { softwareFile, softwareTag } from '@drover/core/names/search-cluster';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { UpgradeDriver } from '../scenarios/upgrade-driver.ts';

const minute = 60_000;
const hour = 60 * minute;
const inputs = { dataCount: 2 };
const settingsFile = '/etc/elasticsearch/elasticsearch.yml';
const withSetting = '0.9.1';

describe('a roll of the software of a search cluster in which drivers and machines die', () => {
  let stage: ClusterStage;
  let nodes: readonly string[];
  beforeAll(async () => {
    stage = await ClusterStage.open(inputs, 3, {
      filesOf: (version): Readonly<Record<string, string>> =>
        version === withSetting ? { [settingsFile]: 'http.max_content_length: 200mb\n' } : {},
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

  it('a driver that dies around a command that it sends is followed by one that finds the command, and every node has it once', async () => {
    await stage.deploySoftware(inputs, { version: '0.9.0' });
    const calls = async (name: string) => {
      const driver = new UpgradeDriver(stage.deployed, { call: Number.MAX_SAFE_INTEGER, phase: 'before' });
      void driver.roll(10 * minute);
      await stage.clock.runUntil(() => driver.calls.includes(name), 10 * minute);
      return driver.calls.indexOf(name);
    };
    const sends = await calls('SendCommand');
    for (const death of [
      { call: sends, phase: 'before' },
      { call: sends, phase: 'after' },
      { call: sends + 1, phase: 'after' },
    ] as const)
      expect((await roll(new UpgradeDriver(stage.deployed, death))).kind).toMatch(/died|rolled/);
    expect(await roll()).toMatchObject({ kind: 'rolled', progress: { taken: 5, of: 5 } });
    expect(await atRest()).toEqual(good('0.9.0'));
  });

  it.each([
    ['while it configures itself', '0.9.2', (id: string) => stateOf(id) === 'taking'],
    ['while its Elasticsearch is stopped', withSetting, (id: string) => !stage.deployed.nodeOf(id).running],
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
