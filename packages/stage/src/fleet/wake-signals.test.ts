import { World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { Bells } from './bells.ts';

describe('the bells of the machines', () => {
  it('are forgotten once their instance has left its group: a world that goes on for weeks must not grow', async () => {
    const clock = new VirtualClock();
    const world = new World({ clock, seed: 'bells' });
    const bells = new Bells(world);
    const bell = bells.of('i-1');
    const move = async (name: string) => {
      world.engine.journal.record({ kind: 'transition', source: 'aws.autoscaling', name, subject: 'i-1' });
      await clock.advance(60_000);
    };
    await move('InService -> Terminating');
    expect(bells.of('i-1')).toBe(bell);
    await move('Terminating:Proceed -> Terminated');
    expect(bells.of('i-1')).not.toBe(bell);
  });
});
