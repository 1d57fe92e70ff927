import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { ClusterWatch } from '../../../local/src/checkers/cluster-watch.test-support.ts';

const second = 1_000;
const hour = 3_600_000;
const mib = 1024 ** 2;
/** A lost master is noticed and another one elected within this (Elasticsearch reference, "Voting configurations"). */
const electionMs = 30 * second;

describe('rolling refresh of 3 masters and 5 data nodes under constant writes', () => {
  let stage: ClusterStage;
  beforeAll(async () => {
    stage = await ClusterStage.open({ masterCount: 3, dataCount: 5 });
  }, 300_000);

  it('replaces every node: nothing lost, never red, one drain at a time, writes refused no longer than an election', async () => {
    const { deployed, groups } = stage;
    expect(deployed.inService()).toHaveLength(8);
    const before = deployed.inService();
    const writer = await stage.startWriting(
      { logs: { number_of_shards: 3, number_of_replicas: 1 }, metrics: { number_of_shards: 2, number_of_replicas: 2 } },
      5 * second,
    );
    await stage.pass(5);
    for (const index of ['logs', 'metrics']) deployed.cluster.inflate(index, 600 * mib);
    const watch = new ClusterWatch(deployed);

    await stage.startRefresh(groups.master);
    await stage.startRefresh(groups.data);
    await expect(stage.startRefresh(groups.data)).rejects.toThrow(/InstanceRefreshInProgress|already in progress/i);
    const isOver = (group: string) => stage.refreshOf(group)!.endTime !== undefined;
    await stage.until('both refreshes are over', () => isOver(groups.master) && isOver(groups.data), 24 * hour);
    await stage.pass(10);
    writer.stop();
    watch.stop();

    expect([groups.master, groups.data].map((group) => stage.refreshOf(group)!.status)).toEqual([
      'Successful',
      'Successful',
    ]);
    expect(deployed.inService()).toHaveLength(8);
    expect(deployed.inService().filter((id) => before.includes(id))).toEqual([]);
    expect(watch.drained.size).toBe(8);
    expect({ redMs: watch.redMs, mostDraining: watch.mostDraining, colour: watch.colour }).toEqual({
      redMs: 0,
      mostDraining: 1,
      colour: 'green',
    });
    expect(writer.longestRefusalMs).toBeLessThanOrEqual(electionMs);
    expect(writer.count).toBeGreaterThan(300);
    expect(await writer.missing()).toEqual([]);
  }, 300_000);
});
