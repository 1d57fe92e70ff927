import { describe, expect, it } from 'vitest';
import { imageToKeep, renamedGroup } from './node-image.ts';

describe('the image of search nodes', () => {
  it.each([
    ['stays as the first deployment resolved it', { remembered: 'ami-1' }, 'ami-1'],
    ['stays as it runs in a cluster that was deployed before', { running: ['ami-2', 'ami-1', 'ami-1'] }, 'ami-1'],
    ['is the current one in the first deployment', {}, undefined],
    ['is the current one with a new ami_release', { release: '2026-11', running: ['ami-1'] }, undefined],
    ['stays as an ami_release resolved it', { release: '2026-11', remembered: 'ami-3', running: ['ami-1'] }, 'ami-3'],
  ])('the image of search nodes %s', (_, facts, image) => {
    expect(imageToKeep({ release: '', remembered: undefined, running: [], ...facts })).toBe(image);
  });

  it('a group of the same cluster and environment under another name is found, one of another environment is not', () => {
    const tags = { cluster: 'logs', environment: 'production' };
    const group = { groupName: 'logs', tags: { ...tags, team: 'search' } };

    expect(renamedGroup([group], tags)).toBe('logs');
    expect(renamedGroup([{ ...group, tags: { ...tags, environment: 'test' } }], tags)).toBeUndefined();
  });
});
