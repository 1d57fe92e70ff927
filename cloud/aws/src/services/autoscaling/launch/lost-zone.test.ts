import { describe, expect, it } from 'vitest';
import { minuteMs, Stage } from '../stage.test-support.ts';

const zoneA = 'eu-west-1a';
const zonesOf = async (stage: Stage) => (await stage.instances()).map(({ AvailabilityZone }) => AvailabilityZone);

/** A group in two zones, of which the first has no capacity. */
async function withLostZone(untilMs: number) {
  const stage = new Stage();
  const { clock } = stage.world.engine;
  const lost = { service: 'autoscaling', operation: 'Launch', subject: zoneA, effect: { kind: 'error' } } as const;
  stage.fault({ ...lost, untilMs: clock.now() + untilMs });
  await stage.group({ AvailabilityZones: [zoneA, 'eu-west-1b'], DesiredCapacity: 4 });
  return stage;
}

describe('a zone without capacity', () => {
  it('a zone without capacity is left out: launches go to another zone at once, and the failed one names the zone', async () => {
    const stage = await withLostZone(120 * minuteMs);

    await stage.untilStates(Array(4).fill('InService'));

    expect(new Set(await zonesOf(stage))).toEqual(new Set(['eu-west-1b']));
    const failed = (await stage.activities()).filter(({ StatusCode }) => StatusCode === 'Failed');
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatchObject({
      StatusMessage: expect.stringMatching(/sufficient capacity in the Availability Zone you requested \(eu-west-1a\)/),
      Details: expect.stringContaining(zoneA),
    });
  });

  it('a zone without capacity costs no instance that serves: balancing waits until the zone takes launches', async () => {
    const stage = await withLostZone(120 * minuteMs);
    await stage.untilStates(Array(4).fill('InService'));
    const ids = (await stage.instances()).map(({ InstanceId }) => InstanceId);

    await stage.pass(100 * minuteMs);

    expect((await stage.instances()).map(({ InstanceId }) => InstanceId)).toEqual(ids);
    const failed = (await stage.activities()).filter(({ StatusCode }) => StatusCode === 'Failed');
    expect(failed.length).toBeLessThanOrEqual(8);
  });

  it('a zone that is back gets its share of the instances again', async () => {
    const stage = await withLostZone(30 * minuteMs);
    await stage.untilStates(Array(4).fill('InService'));

    await stage.pass(120 * minuteMs);

    expect((await zonesOf(stage)).filter((zone) => zone === zoneA)).toHaveLength(2);
  });
});
