import { describe, expect, it } from 'vitest';
import { type Random, SeededRandom, SystemRandom } from './index.ts';

const draws = (random: Random, count: number) => Array.from({ length: count }, () => random.next());

describe('SeededRandom', () => {
  it('draws the same sequence from the same seed and another one from a fork', () => {
    const draw = (random: Random) => [random.next(), random.int(1, 6), random.uuid()];

    expect(draw(new SeededRandom('s'))).toEqual(draw(new SeededRandom('s')));
    expect(draw(new SeededRandom('s').fork('x'))).not.toEqual(draw(new SeededRandom('s')));
  });

  it('draws another sequence from another seed, also from a similar one', () => {
    const first = Array.from({ length: 200 }, (_, seed) => new SeededRandom(seed).next());

    expect(new Set(first).size).toBe(200);
  });

  it('keeps its sequence from version to version: recorded seeds stay reproducible', () => {
    expect(new SeededRandom('drover').hex(24)).toBe('3c36bc2033ed0abdd65057e5');
  });

  it('gives a fork a stream of its own, whatever was drawn before', () => {
    const used = new SeededRandom('s');
    draws(used, 10);

    expect(draws(used.fork('x'), 5)).toEqual(draws(new SeededRandom('s').fork('x'), 5));
    expect(draws(used.fork('x'), 5)).not.toEqual(draws(used.fork('y'), 5));
  });
});

describe.each([
  ['SeededRandom', new SeededRandom('distribution')],
  ['SystemRandom', new SystemRandom()],
] as const)('%s', (_, random) => {
  it('draws numbers in [0, 1) with the mean and the spread of a uniform distribution', () => {
    const drawn = draws(random, 20_000);
    const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
    const variance = drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / drawn.length;

    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn)).toBeLessThan(1);
    expect(Math.abs(mean - 1 / 2)).toBeLessThan(0.015);
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(0.005);
  });

  it('draws every whole number of a range about equally often', () => {
    const counts = new Map<number, number>();
    for (let draw = 0; draw < 12_000; draw++) {
      const value = random.int(1, 6);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }

    expect([...counts.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    for (const count of counts.values()) expect(Math.abs(count - 2_000)).toBeLessThan(250);
  });

  it('chance() returns true with the given probability, never with 0 and always with 1', () => {
    const hits = (probability: number) =>
      Array.from({ length: 5_000 }, () => random.chance(probability)).filter(Boolean);

    expect(hits(0)).toHaveLength(0);
    expect(hits(1)).toHaveLength(5_000);
    expect(Math.abs(hits(0.2).length - 1_000)).toBeLessThan(150);
  });

  it('makes version 4 UUIDs and hexadecimal text of any length', () => {
    expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    for (const digits of [0, 1, 6, 7, 40]) expect(random.hex(digits)).toMatch(new RegExp(`^[0-9a-f]{${digits}}$`));
  });

  it('picks an entry of a list and refuses an empty one', () => {
    expect(['a', 'b']).toContain(random.pick(['a', 'b']));
    expect(() => random.pick([])).toThrow('the list is empty');
  });
});
