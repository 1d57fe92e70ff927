import { dayMs } from '@drover/core';
import { describe, expect, it } from 'vitest';
import type { BakeNote, GroupImage, ImageFacts, ImageInstance } from '../../model/image.ts';
import { bakeFailure, decideDue } from './decide-due.ts';
import { decideScheduled } from './decide-scheduled.ts';

const minute = 60_000;
const now = 100 * dayMs;
const wanted = { baseImage: 'ami-base', template: '7', runner: '2.336.0' };
const image = (more: Partial<GroupImage> = {}): GroupImage => ({
  id: 'ami-1',
  bakeId: 'b0',
  state: 'available',
  createdAt: now - 2 * dayMs,
  promotedAt: now - 2 * dayMs,
  ...wanted,
  ...more,
});
const bakes = (more: Partial<ImageInstance> = {}): ImageInstance => ({
  id: 'i-bake',
  purpose: 'bake',
  bakeId: 'b1',
  state: 'running',
  launchedAt: now - 10 * minute,
  ...more,
});
const given = (facts: Partial<ImageFacts> = {}, note?: BakeNote) => ({
  facts: { instances: [], images: [image()], snapshots: [], current: 'ami-1', inUse: [], ...facts },
  wanted,
  mayLaunch: true,
  note,
  days: 7,
});
const begun = (agoMs: number, more: Partial<BakeNote> = {}): BakeNote => ({
  bakeId: 'b1',
  begunAt: now - agoMs,
  ...more,
});
const failure = { at: now - 3 * minute, reason: 'the bake failed on i-bake: apt' };

describe('when the next image is due', () => {
  it.each<[string, Partial<GroupImage> | undefined, number]>([
    ['the newest image is two days old, of seven', {}, now + 5 * dayMs],
    ['none was ever baked', undefined, 0],
    ['none was ever taken by new instances', { promotedAt: undefined } as Partial<GroupImage>, 0],
    ['the base image is another', { baseImage: 'ami-older' }, 0],
    ['the launch template, and so software or settings, is another', { template: '6' }, 0],
    ['the runner software is another', { runner: '2.335.0' }, 0],
    [
      'an image of an earlier release says neither',
      { template: undefined, runner: undefined } as unknown as Partial<GroupImage>,
      now + 5 * dayMs,
    ],
    ['an operator has gone back to the image a day ago', { promotedAt: now - dayMs }, now + 6 * dayMs],
  ])('%s', (_, of, at) => {
    const images = of === undefined ? [] : [image(of)];
    expect(decideDue(given({ images })).at).toBe(at);
  });

  it('an operator who has gone back to the base image, or to the image before, wants no new one at once', () => {
    expect(decideDue(given({ current: 'ami-base' })).at).toBe(now + 5 * dayMs);
    const before = image({ id: 'ami-0', createdAt: now - 9 * dayMs, promotedAt: now, runner: '2.335.0' });
    expect(decideDue(given({ images: [before, image()], current: 'ami-0' })).at).toBe(now + 7 * dayMs);
  });

  it('a day passes after the last one has begun, whether it failed or not', () => {
    expect(decideDue(given({ images: [] }, begun(minute, { ended: true, failure }))).at).toBe(now - minute + dayMs);
    expect(decideDue(given({ images: [image({ template: '6' })] }, begun(minute, { ended: true }))).at).toBe(
      now - minute + dayMs,
    );
  });
});

describe('the next step of a fleet that bakes its images by itself', () => {
  it.each<[string, Partial<ImageFacts>, BakeNote | undefined, object]>([
    ['rests while nothing is due', {}, undefined, { kind: 'rest', next: { at: now + 5 * dayMs } }],
    ['begins a bake that is due', { images: [] }, undefined, { kind: 'begin' }],
    ['waits for its bake', { instances: [bakes()] }, begun(10 * minute), { kind: 'wait' }],
    ["goes on with an operator's bake", { instances: [bakes()] }, begun(dayMs, { ended: true }), { kind: 'wait' }],
    ['waits until EC2 shows the instance', {}, begun(minute), { kind: 'wait' }],
    ['launches again what may have died before its launch', {}, begun(10 * minute), { kind: 'launch' }],
    [
      'gives up a launch that EC2 refuses for an hour',
      {},
      begun(61 * minute, { refused: 'VcpuLimitExceeded' }),
      { kind: 'fail', failure: { at: now, reason: 'EC2 launched no instance: VcpuLimitExceeded' } },
    ],
    [
      'launches nothing again once EC2 has shown the instance',
      { instances: [bakes({ state: 'terminated', stateReason: 'Server.InternalError' })] },
      begun(10 * minute),
      { kind: 'fail', failure: { reason: 'the instance that baked is gone: Server.InternalError' } },
    ],
    [
      'notes a bake that the command has finished',
      { images: [image({ bakeId: 'b1' })] },
      begun(50 * minute),
      { kind: 'ended' },
    ],
    [
      'notes the failure of a bake with its reason',
      { instances: [bakes({ state: 'stopped', report: { baked: false, reason: 'apt' } })] },
      begun(10 * minute),
      { kind: 'fail', failure: { reason: 'the bake failed on i-bake: apt', instance: 'i-bake' } },
    ],
    [
      "notes the failure of an operator's bake as its last one",
      { instances: [bakes({ bakeId: 'b9', state: 'stopped', report: { baked: false, reason: 'apt' } })] },
      begun(3 * dayMs, { ended: true }),
      { kind: 'fail', note: { bakeId: 'b9', begunAt: now - 10 * minute } },
    ],
    [
      'gives up a bake of three hours, whatever it waits for',
      {
        instances: [bakes({ launchedAt: now - 181 * minute, state: 'stopped', report: { baked: true } })],
      },
      begun(182 * minute),
      { kind: 'fail', failure: { reason: 'the bake has taken 3 hours' } },
    ],
    [
      'finishes a bake of three hours whose image is taken',
      {
        instances: [bakes({ launchedAt: now - 181 * minute, state: 'stopped', report: { baked: true } })],
        images: [image({ bakeId: 'b1' })],
      },
      begun(182 * minute),
      { kind: 'finish' },
    ],
  ])('%s', (_, facts, note, step) => {
    expect(decideScheduled(given(facts, note), now)).toMatchObject(step);
  });

  it('no bake begins for a group that is being taken down', () => {
    expect(decideScheduled({ ...given({ images: [] }), mayLaunch: false }, now)).toMatchObject({ kind: 'rest' });
  });

  it('no bake begins before the mirror has the runner software', () => {
    const { runner: _, ...without } = wanted;
    expect(decideScheduled({ ...given({ images: [] }), wanted: without }, now)).toMatchObject({ kind: 'rest' });
  });

  it('a failure counts until new instances take another image', () => {
    const note = begun(10 * minute, { ended: true, failure });
    expect(bakeFailure({ images: [image()] }, note)).toEqual(failure);
    expect(bakeFailure({ images: [image(), image({ id: 'ami-2', promotedAt: now })] }, note)).toBeUndefined();
    expect(bakeFailure({ images: [] }, begun(minute, { ended: true }))).toBeUndefined();
  });
});
