import { VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { callBudget, withinBudget } from './call-budget.ts';
import { rota as rotaOf } from './rota.ts';

describe('the rota of the console', () => {
  it('the rota reads each source at its interval, and reports the age and state of each part', async () => {
    const clock = new VirtualClock(0);
    const read: [string, number][] = [];
    let broken = false;
    const source = (what: string, everyMs: number, name = what) => ({
      what,
      everyMs,
      read: async () => {
        read.push([name, clock.now()]);
        if (broken && name === 'logs b') throw new Error('AccessDenied');
      },
    });
    const rota = rotaOf(clock, () => clock.now(), [
      source('groups', 5_000),
      source('logs', 20_000, 'logs a'),
      source('logs', 20_000, 'logs b'),
    ]);
    expect(rota.readings()).toMatchObject([
      { what: 'groups', readAt: undefined },
      { what: 'logs', readAt: undefined, problem: undefined },
    ]);
    const over = new AbortController();
    const running = rota.run(over.signal, () => {}).catch(() => {});
    await clock.advance(21_000);
    expect(read.filter(([name]) => name === 'groups').map(([, at]) => at)).toEqual([0, 5_000, 10_000, 15_000, 20_000]);
    expect(read.filter(([name]) => name !== 'groups').map(([, at]) => at)).toEqual([0, 0, 20_000, 20_000]);
    broken = true;
    await clock.advance(20_000);
    expect(rota.readings()).toEqual([
      { what: 'groups', readAt: 40_000, everyMs: 5_000, problem: undefined },
      { what: 'logs', readAt: 20_000, everyMs: 20_000, problem: 'AccessDenied' },
    ]);
    over.abort();
    await running;
  });

  it('when there is more to read than may be read every source still gets its turn', async () => {
    const clock = new VirtualClock(0);
    const counts = new Map<string, number>();
    const slow = (what: string) => ({
      what,
      everyMs: 1_000,
      read: async () => {
        await clock.sleep(3_000);
        counts.set(what, (counts.get(what) ?? 0) + 1);
      },
    });
    const over = new AbortController();
    const rota = rotaOf(clock, () => clock.now(), ['a', 'b', 'c'].map(slow));
    void rota.run(over.signal, () => {}).catch(() => {});
    await clock.advance(90_000);
    over.abort();
    expect([...counts.values()]).toEqual([10, 10, 10]);
  });
});

describe('the call budget of the console', () => {
  it('the call budget spaces the requests of all clients half a second apart, repetitions included', async () => {
    const clock = new VirtualClock(0);
    const sent: number[] = [];
    const client = () => ({ config: { requestHandler: { handle: async () => void sent.push(clock.now()) } } });
    const clients = { autoscaling: client(), logs: client() };
    withinBudget(clients as never, callBudget(clock));
    const requests = [clients.autoscaling, clients.logs, clients.autoscaling, clients.logs].map(({ config }) =>
      config.requestHandler.handle(),
    );
    await clock.advance(5_000);
    await Promise.all(requests);
    expect(sent).toEqual([0, 500, 1_000, 1_500]);
    // Nothing is saved up while there are no calls.
    const later = [clients.logs, clients.logs].map(({ config }) => config.requestHandler.handle());
    await clock.advance(1_000);
    await Promise.all(later);
    expect(sent.slice(4)).toEqual([5_000, 5_500]);
  });
});
