import { describe, expect, it } from 'vitest';
import type { GroupImage, ImageFacts, ImageInstance } from '../../model/image.ts';
import { decideBake } from './decide-bake.ts';
import { decideSweep } from './decide-sweep.ts';

const minute = 60_000;
const now = 100 * minute;
const bakes = (more: Partial<ImageInstance> = {}): ImageInstance => ({
  id: 'i-bake',
  purpose: 'bake',
  bakeId: 'b1',
  state: 'stopped',
  launchedAt: now - 10 * minute,
  report: { baked: true },
  ...more,
});
const tries = (more: Partial<ImageInstance> = {}): ImageInstance => ({
  ...bakes(),
  id: 'i-trial',
  purpose: 'trial',
  report: { served: true },
  ...more,
});
const image = (more: Partial<GroupImage> = {}): GroupImage => ({
  id: 'ami-new',
  bakeId: 'b1',
  state: 'available',
  createdAt: now - 5 * minute,
  baseImage: 'ami-base',
  ...more,
});
const facts = (more: Partial<ImageFacts> = {}): ImageFacts => ({
  instances: [],
  images: [],
  snapshots: [],
  current: 'ami-base',
  inUse: [],
  ...more,
});
const running = { state: 'running', report: undefined } as unknown as Partial<ImageInstance>;
const old = { launchedAt: now - 31 * minute };

describe('the next step of a bake', () => {
  it.each<[string, Partial<ImageFacts>, string]>([
    ['nothing is there', {}, 'launch'],
    ['only a bake that is over is there', { instances: [bakes({ state: 'terminated' })] }, 'launch'],
    ['the instance configures itself', { instances: [bakes(running)] }, 'wait'],
    ['it has reported and powers off', { instances: [bakes({ state: 'stopping' })] }, 'wait'],
    ['it has stopped', { instances: [bakes()] }, 'create-image'],
    ['it stopped yesterday, and the process died', { instances: [bakes({ launchedAt: 0 })] }, 'create-image'],
    ['the image is not ready', { instances: [bakes()], images: [image({ state: 'pending' })] }, 'wait'],
    ['the image is ready', { instances: [bakes()], images: [image()] }, 'launch-trial'],
    ['the trial runs', { instances: [bakes(), tries(running)], images: [image()] }, 'wait'],
    ['the trial went well', { instances: [bakes(), tries()], images: [image()] }, 'promote'],
    ['new instances take it', { instances: [bakes(), tries()], images: [image()], current: 'ami-new' }, 'finish'],
  ])('%s', (_, given, kind) => {
    expect(decideBake(facts(given), now)).toMatchObject({ kind });
  });

  it.each<[string, Partial<ImageFacts>, string]>([
    [
      'not done in time',
      { instances: [bakes({ ...running, ...old })] },
      'the bake was not done on i-bake within 30 minutes',
    ],
    ['failed', { instances: [bakes({ report: { baked: false, reason: 'apt' } })] }, 'the bake failed on i-bake: apt'],
    [
      'stopped without a report',
      { instances: [{ id: 'i-bake', purpose: 'bake', bakeId: 'b1', state: 'stopped', launchedAt: now }] },
      'the bake: i-bake stopped without a report',
    ],
    [
      'an image that EC2 could not make',
      { instances: [bakes()], images: [image({ state: 'failed' })] },
      'EC2 could not make the image ami-new',
    ],
    [
      'an image that takes too long',
      { instances: [bakes()], images: [image({ state: 'pending', createdAt: 0 })] },
      'EC2 has not made the image ami-new within 60 minutes',
    ],
    [
      'a trial that failed',
      { instances: [bakes(), tries({ report: { served: false, reason: 'disk' } })], images: [image()] },
      'the trial failed on i-trial: disk',
    ],
    [
      'a trial that was terminated',
      {
        instances: [bakes(), tries({ ...running, state: 'terminated', stateReason: 'Client.InvalidKMSKey' })],
        images: [image()],
      },
      'the trial: i-trial is gone: Client.InvalidKMSKey',
    ],
  ])('a bake fails: %s', (_, given, reason) => {
    expect(decideBake(facts(given), now)).toMatchObject({ kind: 'fail', reason });
  });

  it('a bake of its own is done when its image is taken, and failed when its instance has gone before', () => {
    const own = { bakeId: 'b1', launchedAt: now };
    expect(decideBake(facts(), now, own)).toMatchObject({ kind: 'wait' });
    expect(decideBake(facts(), now + 3 * minute, own)).toMatchObject({ kind: 'fail' });
    expect(decideBake(facts({ images: [image()], current: 'ami-new' }), now, own)).toMatchObject({ kind: 'done' });
    const gone = bakes({ state: 'terminated', stateReason: 'Client.InvalidKMSKey.InvalidState' });
    expect(decideBake(facts({ instances: [gone] }), now, own)).toMatchObject({
      reason: 'the instance that baked is gone: Client.InvalidKMSKey.InvalidState',
    });
  });
});

it('everything goes but the present image, the previous one, those in use and a bake under way', () => {
  const promoted = (id: string, bakeId: string, promotedAt: number) => image({ id, bakeId, promotedAt });
  const given = facts({
    instances: [bakes({ bakeId: 'b5' }), tries({ bakeId: 'b5', id: 'i-5' }), tries({ bakeId: 'b2', id: 'i-2' })],
    images: [
      promoted('ami-1', 'b1', 1),
      promoted('ami-2', 'b2', 2),
      promoted('ami-3', 'b3', 3),
      promoted('ami-4', 'b4', 4),
      image({ id: 'ami-5', bakeId: 'b5' }),
      image({ id: 'ami-6', bakeId: 'b6' }),
    ],
    snapshots: ['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6'].map((bakeId) => ({ id: `snap-${bakeId}`, bakeId })),
    current: 'ami-4',
    inUse: ['ami-1'],
  });
  expect(decideSweep(given)).toEqual({
    terminate: ['i-2'],
    deregister: ['ami-2', 'ami-6'],
    deleteSnapshots: ['snap-b0', 'snap-b2', 'snap-b6'],
  });
  expect(decideSweep(given, 'b5')).toMatchObject({
    terminate: ['i-5', 'i-2'],
    deregister: ['ami-2', 'ami-5', 'ami-6'],
  });
});
