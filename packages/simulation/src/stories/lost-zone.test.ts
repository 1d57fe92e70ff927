import { expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const hour = 60 * minute;

it('a zone lost for two hours: launches go to the other zone, no dead instances pile up, and the next launches use it again', {
  timeout: 300_000,
}, async () => {
  const stage = await CheckedFleetStage.open({ asgMinSize: 4, asgMaxSize: 8 });
  await stage.untilOnline(4);
  const { world, clock } = stage.fleet;
  const zoneOf = (id: string) => world.observe.instance(id)!.availabilityZone;
  const lost = zoneOf(stage.online[0]!);
  const inLostZone: string[] = [];
  stage.fault({
    service: 'autoscaling',
    operation: 'Launch',
    subject: lost,
    untilMs: clock.now() + 2 * hour,
    effect: { kind: 'error' },
  });
  world.observe.onInstanceState(({ id, state, availabilityZone }) => {
    if (state === 'pending' && availabilityZone === lost) inLostZone.push(id);
  });
  for (const id of stage.online) if (zoneOf(id) === lost) world.machines.kill(id);

  await stage.fleet.until(
    'four runners serve in the other zone',
    () => stage.online.filter((id) => zoneOf(id) !== lost).length >= 4,
    20 * minute,
  );
  const serving = [...stage.online].filter((id) => zoneOf(id) !== lost).sort();
  await stage.pass(90);

  expect(inLostZone).toEqual([]);
  // No dead instance is left, and zones are not balanced at the cost of instances that serve.
  expect([...stage.group.members.keys()].sort()).toEqual(serving);
  await stage.pass(40);
  // A balance would end hosts that may have a job; the next launches use the zone.
  await stage.setDesired(serving.length + 2);
  await stage.fleet.until(
    'the zone is used again',
    () => stage.online.filter((id) => zoneOf(id) === lost).length === 2,
    hour,
  );
  expect(await stage.violationsAtRest()).toEqual([]);
});
