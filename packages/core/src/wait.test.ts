import { describe, expect, it } from 'vitest';
import { VirtualClock, type Wait, type WaitStep, waitFor } from './index.ts';

interface Round {
  readonly at: number;
  readonly round: number;
}

/** A wait whose facts are the number of the round; everything that it does is noted. */
function observed(change: Partial<Wait<number, string, string>> = {}) {
  const clock = new VirtualClock(0);
  const rounds: Round[] = [];
  const applied: string[] = [];
  const waits: string[] = [];
  let gathered = 0;
  const wait: Wait<number, string, string> = {
    clock,
    gather: async () => gathered++,
    decide: (facts, now, round) => {
      rounds.push({ at: now, round });
      return { kind: 'wait', because: `round ${facts}` } as WaitStep<string, string>;
    },
    apply: async (action) => void applied.push(action),
    pauseMs: () => 1_000,
    deadlineAt: 3_500,
    onWait: (because) => void waits.push(because),
    ...change,
  };
  return { clock, wait, rounds, applied, waits };
}

async function ended<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  const noted = work.catch((error: Error) => error as never);
  await clock.advance(60_000);
  await noted;
  return await work;
}

describe('waitFor', () => {
  it('ends with the outcome of the decision', async () => {
    const { clock, wait } = observed({
      decide: (facts) => (facts === 2 ? { kind: 'done', outcome: 'reached' } : { kind: 'wait', because: 'not yet' }),
    });

    expect(await ended(clock, waitFor(wait))).toEqual({ kind: 'done', outcome: 'reached' });
  });

  it('times out at its deadline with the last reason, after a round at the deadline itself', async () => {
    const { clock, wait, rounds, waits } = observed();

    expect(await ended(clock, waitFor(wait))).toEqual({ kind: 'timed-out', because: 'round 4' });
    expect(rounds.map(({ at }) => at)).toEqual([0, 1_000, 2_000, 3_000, 3_500]);
    expect(rounds.map(({ round }) => round)).toEqual([0, 1, 2, 3, 4]);
    expect(waits).toHaveLength(5);
  });

  it('makes one round when the deadline is over before it begins', async () => {
    const { clock, wait, rounds } = observed({ deadlineAt: -1 });

    expect(await ended(clock, waitFor(wait))).toMatchObject({ kind: 'timed-out' });
    expect(rounds).toHaveLength(1);
  });

  it('applies the actions of a round in their order, also of the last one', async () => {
    const { clock, wait, applied } = observed({
      decide: (facts) =>
        facts === 0
          ? { kind: 'wait', because: 'not yet', actions: ['a', 'b'] }
          : { kind: 'done', outcome: 'reached', actions: ['c'] },
    });

    await ended(clock, waitFor(wait));

    expect(applied).toEqual(['a', 'b', 'c']);
  });

  it('fails when facts cannot be read, unless it is told how to go on', async () => {
    const failing = { gather: () => Promise.reject(new Error('unreachable')) };
    const strict = observed(failing);
    await expect(ended(strict.clock, waitFor(strict.wait))).rejects.toThrow('unreachable');

    const errors: unknown[] = [];
    const lenient = observed({ ...failing, onGatherError: (error) => void errors.push(error) });

    expect(await ended(lenient.clock, waitFor(lenient.wait))).toEqual({
      kind: 'timed-out',
      because: 'nothing was read yet',
    });
    expect(errors).toHaveLength(5);
    expect(lenient.rounds).toEqual([]);
  });

  it('fails when an action fails', async () => {
    const { clock, wait } = observed({
      decide: () => ({ kind: 'wait', because: 'not yet', actions: ['a'] }),
      apply: () => Promise.reject(new Error('refused')),
    });

    await expect(ended(clock, waitFor(wait))).rejects.toThrow('refused');
  });

  it('ends in the middle of a pause when its signal is aborted', async () => {
    const abort = new AbortController();
    const { clock, wait, rounds } = observed({ signal: abort.signal });
    clock.after(1_500, () => abort.abort(new Error('interrupted')));

    await expect(ended(clock, waitFor(wait))).rejects.toThrow('interrupted');
    expect(rounds).toHaveLength(2);
  });

  it('waitFor gathers nothing when its signal is already aborted', async () => {
    const { clock, wait, rounds } = observed({ signal: AbortSignal.abort(new Error('interrupted')) });

    await expect(ended(clock, waitFor(wait))).rejects.toThrow('interrupted');
    expect(rounds).toEqual([]);
  });
});
