import type { DocumentWriter } from '@drover/stage/cluster';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { ClusterWatch } from '../../../local/src/checkers/cluster-watch.test-support.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('masters of a cluster whose zone was lost', () => {
  let stage: ClusterStage;
  let writer: DocumentWriter;
  beforeAll(async () => {
    stage = await ClusterStage.open({ masterCount: 3, dataCount: 3 });
    writer = await stage.startWriting({ docs: { number_of_shards: 2, number_of_replicas: 1 } }, 30_000);
    await stage.pass(5);
  }, 300_000);

  const masters = () => [...stage.world.observe.group(stage.groups.master)!.members.values()];
  const zonesOf = (states: RegExp) =>
    masters()
      .filter(({ state }) => states.test(state))
      .map(({ zone }) => zone)
      .sort();
  const isSpread = () => masters().length === 3 && new Set(zonesOf(/^InService$/)).size === 3;

  /** Every machine of the zone fails, and no other is launched there until it has capacity again. */
  function lose(zone: string): () => void {
    const heal = stage.fault({
      service: 'autoscaling',
      operation: 'Launch',
      subject: zone,
      effect: { kind: 'error' },
    });
    for (const { id, availabilityZone, state } of stage.world.observe.instances())
      if (availabilityZone === zone && state === 'running') stage.world.machines.kill(id);
    return heal;
  }

  it('a zone is lost and has no capacity for an hour: newcomers elsewhere end at once, at most one in 15 minutes; once it is back the masters are spread again', async () => {
    const { world, clock, groups } = stage;
    const lost = 'eu-west-1a';
    const heal = lose(lost);
    await stage.until('three masters serve elsewhere', () => zonesOf(/^InService$/).length === 3, hour);
    await stage.pass(10);
    expect(await stage.deployed.health()).toBe('green');

    const watch = new ClusterWatch(stage.deployed);
    const old = masters().map(({ instanceId }) => instanceId);
    const tries: { readonly at: number; readonly zone: string }[] = [];
    let voters = 3;
    world.observe.onInstanceState(({ id, state, availabilityZone: zone }) => {
      if (state === 'pending' && world.observe.member(id)?.group.name !== groups.data)
        tries.push({ at: clock.now(), zone });
    });
    await clock.runUntil(() => {
      voters = Math.min(voters, stage.deployed.core.state.votingConfig.length);
      return false;
    }, hour);

    expect(tries.map(({ zone }) => zone)).not.toContain(lost);
    expect(tries.length).toBeGreaterThan(1);
    const gaps = tries.slice(1).map(({ at }, index) => (at - tries[index]!.at) / minute);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(15);
    expect(masters().map(({ instanceId }) => instanceId)).toEqual(old);

    heal();
    const healedAt = clock.now();
    await stage.until('the masters are spread', isSpread, hour);
    expect((clock.now() - healedAt) / minute).toBeLessThan(40);
    watch.stop();
    // The one that gave its place up: newcomers elsewhere went before they were nodes.
    expect(watch.drained.size).toBe(1);
    expect({ red: watch.redMs, masterless: watch.masterlessMs, voters }).toEqual({ red: 0, masterless: 0, voters: 3 });
    expect(stage.world.observe.group(groups.master)!.desiredCapacity).toBe(3);
    expect(await stage.deployed.health()).toBe('green');
    expect(await writer.missing()).toEqual([]);
  }, 300_000);
});
