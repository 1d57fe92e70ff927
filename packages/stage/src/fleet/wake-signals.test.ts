import { World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { WakeSignals } from './wake-signals.ts';

describe('WakeSignals', () => {
  it('forgets the signal of an instance that has left its group, so that a long-running world does not grow', async () => {
    const clock = new VirtualClock();
    const world = new World({ clock, seed: 'signals' });
    const signals = new WakeSignals(world);
    const signal = signals.of('i-1');
    const move = async (name: string) => {
      world.engine.journal.record({ kind: 'transition', source: 'aws.autoscaling', name, subject: 'i-1' });
      await clock.advance(60_000);
    };
    await move('InService -> Terminating');
    expect(signals.of('i-1')).toBe(signal);
    await move('Terminating:Proceed -> Terminated');
    expect(signals.of('i-1')).not.toBe(signal);
  });
});
