import { imageTags } from '@drover/core/names/runner-fleet';
import { FleetStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { images, instances, left, parameter, snapshots } from './image.test-support.ts';
import { drover } from './operator.test-support.ts';

describe('drover image', () => {
  let stage: FleetStage;
  let base: string;
  let first: string;

  beforeAll(async () => {
    stage = await FleetStage.open({ asgMinSize: 1, bakedImage: true, extraPolicies: [] });
    await stage.untilOnline(1);
    base = (await parameter(stage))!;
  });

  it('bake --dry-run says what would happen, and changes nothing', async () => {
    const { exitCode, stdout } = await drover(stage, 'image', 'bake', '--dry-run');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Nothing was changed.');
    expect(await left(stage)).toEqual([]);
    expect((await drover(stage, 'image', 'list')).stdout).toBe(
      `runners has no baked image; new instances take ${base}\n`,
    );
  });

  it('bake makes an image of a configured instance, tries it, and new instances take it', async () => {
    const { exitCode, stdout, stderr } = await drover(stage, 'image', 'bake');
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    first = (await parameter(stage))!;
    expect(stdout.split('\n').at(-2)).toBe(`${first} is the image of new instances of runners`);
    expect(await images(stage)).toMatchObject([
      {
        ImageId: first,
        State: 'available',
        Tags: expect.arrayContaining([
          { Key: imageTags.imageOf, Value: 'runners' },
          { Key: imageTags.baseImage, Value: base },
        ]),
      },
    ]);
    expect(await left(stage)).toEqual([]);
    expect((await drover(stage, 'image', 'list')).stdout).toMatch(new RegExp(`${first} .* taken by new instances`));
  });

  it('an instance of the baked image is online sooner than one of the base image, and no host was replaced', async () => {
    const [host] = stage.online;
    await stage.setDesired(2);
    const before = stage.fleet.clock.now();
    await stage.untilOnline(2);
    const tookMs = stage.fleet.clock.now() - before;
    expect(stage.online).toContain(host);
    const fresh = (await instances(stage)).filter(({ ImageId }) => ImageId === first && ImageId !== base);
    expect(fresh.filter(({ State }) => State?.Name === 'running')).toHaveLength(1);
    expect(tookMs).toBeLessThan(120_000);
  });

  it('the instances of a bake have a role of their own, which reads no secret and completes no hook', async () => {
    const baked = (await instances(stage)).filter(({ Tags = [] }) => Tags.some(({ Key }) => Key === imageTags.imageOf));
    const profiles = new Set(baked.map(({ IamInstanceProfile }) => IamInstanceProfile?.Arn));
    const runner = (await instances(stage)).find(({ InstanceId }) => stage.online.includes(InstanceId!));
    expect(profiles.size).toBe(1);
    expect(profiles).not.toContain(runner?.IamInstanceProfile?.Arn);
    expect(baked.map(({ MetadataOptions }) => MetadataOptions?.InstanceMetadataTags)).toEqual(['enabled', 'enabled']);
    expect(baked.map(({ Tags = [] }) => Tags.some(({ Key }) => Key === 'aws:autoscaling:groupName'))).toEqual([
      false,
      false,
    ]);
  });

  it('a bake or a trial that fails leaves the image that is in use, and nothing else', async () => {
    for (const [operation, says] of [
      ['bake', 'the bake failed on i-'],
      ['try-image', 'the trial failed on i-'],
    ] as const) {
      stage.fault({ service: 'machine', operation, times: 1, effect: { kind: 'boot-failure' } });
      const { exitCode, stderr } = await drover(stage, 'image', 'bake');
      expect(exitCode).toBe(1);
      expect(stderr).toContain(says);
      expect(stderr).toMatch(/drover fleet logs i-\w+ --since 2h/);
      expect(await parameter(stage)).toBe(first);
      expect((await images(stage)).map(({ ImageId }) => ImageId)).toEqual([first]);
      expect(await snapshots(stage)).toHaveLength(1);
      expect(await left(stage)).toEqual([]);
    }
  });

  it('an instance that does not power off within 30 minutes fails the bake', async () => {
    stage.fault({ service: 'machine', operation: 'bake', times: 1, effect: { kind: 'timeout' } });
    const { exitCode, stderr } = await drover(stage, 'image', 'bake');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('within 30 minutes');
  });

  it('the present and the previous image are kept, and use goes back to the previous one or to the base image', async () => {
    await drover(stage, 'image', 'bake');
    const second = (await parameter(stage))!;
    await drover(stage, 'image', 'bake');
    const third = (await parameter(stage))!;
    const kept = async () => (await images(stage)).map(({ ImageId }) => ImageId);
    // An instance has the first one.
    expect(await kept()).toEqual([first, second, third]);
    expect(await snapshots(stage)).toHaveLength(3);

    expect((await drover(stage, 'image', 'use', second)).exitCode).toBe(0);

    expect(await parameter(stage)).toBe(second);
    const unknown = await drover(stage, 'image', 'use', 'ami-0123456789abcdef0');
    expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`its base image is ${base}`) });

    expect((await drover(stage, 'image', 'use', base)).exitCode).toBe(0);

    expect(await parameter(stage)).toBe(base);
    expect(await kept()).toEqual([first, second, third]);
    await stage.setDesired(1);
  });
});

it('a fleet without baked_image is refused with what to do', async () => {
  const stage = await FleetStage.open({ asgMinSize: 0 });
  expect(await drover(stage, 'image', 'bake')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('set baked_image: true'),
  });
});
