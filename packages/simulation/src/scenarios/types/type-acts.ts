import { operatorIo } from '@drover/local/truth/real-doctor';
import { removeType } from '@drover/operator/fleet/destroy';
import { fleetStackName } from '@drover/stage/fleet-template';
import { drawType, typeNames } from './draw-types.ts';
import type { TypesWorld } from './types-world.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Something that happens to a type. Returns what happened; undefined: it cannot be done now. */
type Act = (world: TypesWorld) => Promise<string | undefined>;

const add: Act = async (world) => {
  const absent = typeNames.filter((name) => world.types[name] === undefined);
  if (absent.length === 0 || world.open.length >= 6) return undefined;
  const name = world.random.pick(absent);
  await world.deploy({ ...world.types, [name]: drawType(name, world.random) });
  return `${name} was added`;
};

const change: Act = async (world) => {
  if (world.open.length === 0) return undefined;
  const name = world.random.pick(world.open);
  await world.deploy({ ...world.types, [name]: drawType(name, world.random) });
  return `${name} was changed`;
};

async function removeKey(world: TypesWorld, name: string): Promise<void> {
  const { [name]: _, ...types } = world.types;
  await world.deploy(types);
  world.leaving.delete(name);
}

const removeByKey: Act = async (world) => {
  if (world.open.length < 2) return undefined;
  const name = world.random.pick(world.open);
  if (!(await world.isLeft(name))) return undefined;
  await removeKey(world, name);
  return `${name} was removed with its key`;
};

const removeByCommand: Act = async (world) => {
  if (world.open.length < 2) return undefined;
  const name = world.random.pick(world.open);
  if (!(await world.isLeft(name))) return undefined;
  const { fleet } = world;
  const remove = () =>
    removeType(
      operatorIo(fleet, () => {}),
      name,
      { stack: fleetStackName, yes: true },
    );
  let runs = 1;
  // While the service is away it says that the scale set is left, and is run again.
  while ((await fleet.drive(remove(), day)) !== 0 && runs < 12) runs += 1;
  await removeKey(world, name);
  return `${name} was removed with its command, run ${runs} times`;
};

/** Another program holds the session of a type. */
const hold: Act = async (world) => {
  if (world.open.length === 0) return undefined;
  const { fleet } = world;
  const { scaleSets } = fleet.codeHost;
  const name = world.random.pick(world.open);
  const group = world.groupOf(name);
  const set = scaleSets.named(group);
  if (set === undefined) return undefined;
  const note = (what: string) =>
    fleet.world.engine.journal.record({ kind: 'fault', source: 'platform', name: what, subject: group });
  const minutes = world.random.int(5, 45);
  scaleSets.evict(set);
  scaleSets.openSession(set, 'somebody');
  note('session-held');
  fleet.clock.after(minutes * minute, () => {
    note('session-free');
    if (scaleSets.named(group)?.session?.owner === 'somebody') scaleSets.evict(scaleSets.named(group)!);
  });
  return `the session of ${name} was held for ${minutes} minutes`;
};

const withoutCapacity: Act = async (world) => {
  if (world.open.length === 0) return undefined;
  const { engine } = world.fleet.world;
  const name = world.random.pick(world.open);
  const minutes = world.random.int(5, 90);
  const now = world.fleet.clock.now();
  engine.faults.add({
    service: 'autoscaling',
    operation: 'Launch',
    subject: world.groupOf(name),
    fromMs: now,
    untilMs: now + minutes * minute,
    effect: { kind: 'error' },
  });
  return `${name} had no capacity for ${minutes} minutes`;
};

export const typeActs: readonly Act[] = [add, change, removeByKey, removeByCommand, hold, withoutCapacity];
