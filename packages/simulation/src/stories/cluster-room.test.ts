import { alarmName } from '@drover/core/names/search-cluster';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';

const minute = 60_000;
const gib = 1024 ** 3;
const inputs = {
  masterCount: 1,
  separateDataVolume: true,
  dataVolumeSize: 200,
  dataVolumeMaxSize: 300,
  nodeGroups: { data: { count: 2, maxCount: 3 } },
};

/** The stories build on each other: the disks of one group fill again and again. */
describe('a group of data nodes whose disks are too full', () => {
  let stage: ClusterStage;
  beforeAll(async () => {
    stage = await ClusterStage.open(inputs);
    await stage.deployed.search('PUT', '/docs', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
    await stage.pass(5);
  }, 300_000);

  const data = () => stage.deployed.inService(stage.groups.data);
  /** All disks are so full, of what they have now. */
  const fill = (percent: number) => {
    for (const node of data().map((id) => stage.deployed.nodeOf(id)))
      node.setFreeBytes(((100 - percent) / 100) * node.diskBytes);
  };
  /** In whole GiB of the disk, of which a file system has a little less for files. */
  const sizes = () => data().map((id) => Math.round(stage.deployed.nodeOf(id).diskBytes / 0.984 / gib));
  const desired = () => stage.world.observe.group(stage.groups.data)!.desiredCapacity;

  it('gets larger volumes after an hour, and no node: nothing restarts', async () => {
    const started = () => [...stage.deployed.nodes.values()].map(({ startedAtMs }) => startedAtMs);
    const before = started();
    fill(90);
    await stage.pass(55);
    expect({ sizes: sizes(), desired: desired() }).toEqual({ sizes: [200, 200], desired: 2 });
    await stage.pass(55);
    expect({ sizes: sizes(), desired: desired() }).toEqual({ sizes: [300, 300], desired: 2 });
    expect(started()).toEqual(before);
  }, 300_000);

  it('gets one more node when its volumes are as large as they may be, although replicas without a place make the cluster yellow', async () => {
    fill(87);
    await stage.deployed.search('PUT', '/late', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
    await stage.pass(10);
    expect(await stage.deployed.health()).toBe('yellow');
    await stage.until('three data nodes in service', () => data().length === 3, 120 * minute);
    // The one that was launched from a template with less has the size, too.
    await stage.pass(60);
    expect({ sizes: sizes(), desired: desired() }).toEqual({ sizes: [300, 300, 300], desired: 3 });
    expect(await stage.deployed.health()).toBe('green');
  }, 300_000);

  it('keeps the node and the size over a deployment, and when its disks are empty', async () => {
    fill(20);
    await stage.deploy({ ...inputs, tags: { team: 'search' } });
    await stage.pass(90);
    expect({ sizes: sizes(), desired: desired() }).toEqual({ sizes: [300, 300, 300], desired: 3 });
  }, 300_000);

  it('a group has an alarm when it may not grow any more, and gets a node when the inputs allow it, although a new index has no place', async () => {
    const alarm = alarmName.growthAtMaximum('logs');
    expect(await stage.alarmState(alarm)).toBe('OK');
    fill(92);
    await stage.deployed.search('PUT', '/latest', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
    await stage.pass(80);
    expect({ alarm: await stage.alarmState(alarm), desired: desired() }).toEqual({ alarm: 'ALARM', desired: 3 });
    expect(await stage.deployed.health()).toBe('red');
    await stage.deploy({ ...inputs, nodeGroups: { data: { count: 2, maxCount: 4 } } });
    await stage.until('four data nodes in service', () => data().length === 4, 120 * minute);
    await stage.pass(30);
    expect(await stage.alarmState(alarm)).toBe('OK');
    // Its primary has a place on the newcomer; a replica would need another disk with room.
    expect(await stage.deployed.health()).toBe('yellow');
  }, 300_000);
});
