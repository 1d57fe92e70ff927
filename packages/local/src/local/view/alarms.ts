import type { World } from '@drover/cloud-world';
import type { AlarmState } from '@drover/observation/api';
import type { Lives } from './lives.ts';

/** Every alarm, with what its description says of it. */
export const alarmsOf = (world: World, lives: Lives, scaling: readonly string[]): AlarmState[] =>
  world.observe.alarms().map(({ name, state, description }) => ({
    name,
    state,
    since: lives.since(name) ?? world.engine.clock.now(),
    meaning: description ?? '',
    scaling: scaling.includes(name),
  }));
