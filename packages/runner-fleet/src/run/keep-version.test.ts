import { jsonLogger, TransientError, VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import { emptyMemory, type Memory } from '../model/memory.ts';
import type { FleetRelease, PublishedRelease } from '../model/release.ts';
import { keepVersion } from './keep-version.ts';

const days = (count: number) => count * 86_400_000;
const released = (version: string): PublishedRelease => ({
  version,
  checksum: 'a'.repeat(64),
  url: `https://example.com/${version}`,
  bytes: 3,
});

/** A mirror, a platform and what was done to them. */
function stage(change: { readonly versions?: readonly string[]; readonly chosen?: string } = {}) {
  const clock = new VirtualClock();
  const done: string[] = [];
  const state = {
    latest: released('2.336.0') as PublishedRelease | Error,
    ends: {} as Record<string, number>,
    stored: undefined as FleetRelease | undefined,
  };
  const runners = (change.versions ?? []).map((version, index) => ({
    id: index,
    name: `i-${index}`,
    status: 'online' as const,
    busy: false,
    labels: ['installation_id:fleet'],
    version,
  }));
  const memory: Memory = { ...emptyMemory, runners: { at: 0, pages: [{ total: runners.length, runners }] } };
  const pass = () =>
    keepVersion({
      clock,
      log: jsonLogger({ clock, write: () => {} }),
      groupName: 'fleet',
      memory: { read: async () => memory },
      published: {
        latest: async () => {
          done.push('ask');
          if (state.latest instanceof Error) throw state.latest;
          return state.latest;
        },
        endOf: async (version) => state.ends[version],
      },
      mirror: {
        read: async () => state.stored,
        write: async (release) => {
          state.stored = release;
        },
        copy: async ({ version }) => {
          done.push(`copy ${version}`);
          return `runner/${version}`;
        },
        remove: async (key) => void done.push(`remove ${key}`),
      },
      metrics: { put: async (values) => void done.push(JSON.stringify(values)) },
      chosen: change.chosen === undefined ? undefined : { version: change.chosen, checksum: 'b'.repeat(64) },
    });
  return { clock, done, state, pass };
}

it('the first pass mirrors the newest release, and the next asks after an hour and copies only what is new', async () => {
  const { clock, done, state, pass } = stage();
  await pass();
  await pass();
  await clock.advance(60 * 60_000);
  await pass();
  state.latest = released('2.337.0');
  await clock.advance(60 * 60_000);
  await pass();

  expect(done).toEqual(['ask', 'copy 2.336.0', 'ask', 'ask', 'copy 2.337.0']);
  expect(state.stored).toMatchObject({ version: '2.337.0', key: 'runner/2.337.0' });
});

it('the mirror keeps the newest archive and the one before it, also when GitHub returns to that one', async () => {
  const { clock, done, state, pass } = stage();
  for (const version of ['2.336.0', '2.337.0', '2.338.0', '2.337.0', '2.338.0', '2.339.0']) {
    state.latest = released(version);
    await clock.advance(60 * 60_000);
    await pass();
  }

  expect(done.filter((each) => each.startsWith('remove'))).toEqual(['remove runner/2.336.0', 'remove runner/2.337.0']);
  expect(state.stored).toMatchObject({ key: 'runner/2.339.0', keyBefore: 'runner/2.338.0' });
});

it('the metric has the days until the first version in use gets no more jobs', async () => {
  const { clock, done, state, pass } = stage({ versions: ['2.335.0', '2.336.0'] });
  state.ends = { '2.335.0': clock.now() + days(8.5), '2.336.0': clock.now() + days(20) };
  await pass();

  expect(done.at(-1)).toBe('{"RunnerVersionDaysLeft":8}');
});

it('a platform that cannot be asked leaves the mirrored release as it is, and fails a mirror that has none', async () => {
  const { clock, state, pass } = stage();
  state.latest = new TransientError('no response');
  await expect(pass()).rejects.toThrow('no response');
  state.latest = released('2.336.0');
  await pass();
  state.latest = new TransientError('no response');
  await clock.advance(60 * 60_000);
  await pass();

  expect(state.stored).toMatchObject({ version: '2.336.0', key: 'runner/2.336.0' });
});

it('a version that was chosen by hand is not mirrored, but its end is reported', async () => {
  const { clock, done, state, pass } = stage({ chosen: '2.334.0' });
  state.ends = { '2.334.0': clock.now() + days(3) };
  await pass();

  expect(done).toEqual(['{"RunnerVersionDaysLeft":3}']);
  expect(state.stored).toMatchObject({ version: '2.334.0', checksum: 'b'.repeat(64) });
  expect(state.stored?.key).toBeUndefined();
});
