import { askFleetDoctor, operatorIo } from '@drover/local/truth/real-doctor';
import { fleetDestroy } from '@drover/operator/fleet/destroy';
import { imageBake, imageList } from '@drover/operator/image/image';
import { fleetStackName } from '@drover/stage/fleet-template';
import { FleetStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { bakingInstances, readImages } from './image-reads.ts';

const minute = 60_000;
const inputs = {
  scalingMode: 'jobs',
  asgMinSize: 0,
  asgMaxSize: 2,
  idleRunnersTargetCount: 0,
  bakedImage: true,
  imageBakeDays: 1,
} as const;

describe('a fleet that bakes its images by itself', () => {
  let stage: FleetStage;
  let base: string;
  let first: string;
  const refused: string[] = [];
  let launches = 0;

  const drive = <T>(work: Promise<T>) => stage.fleet.drive(work, 120 * minute);
  const parameter = async () => (await readImages(stage)).current;
  const left = async () => {
    const { images, snapshots, instances } = await readImages(stage);
    return { images: images.length, snapshots, instances };
  };
  const alarm = async () => (await stage.alarms('image_bakes_fail'))[0]?.StateValue;
  const list = async () => {
    let said = '';
    const io = operatorIo(stage.fleet, (text) => {
      said += text;
    });
    await drive(imageList(io, { stack: fleetStackName, format: 'table' as never }));
    return said;
  };

  beforeAll(async () => {
    stage = await FleetStage.open(inputs, {
      before: ({ world }) => {
        world.machines.timing.keepGoneMs = Number.POSITIVE_INFINITY;
        world.observe.onAuthorization(
          ({ refusal = '' }) => refusal.includes('/runners_image is not') && refused.push(refusal),
        );
        world.engine.journal.subscribe(({ kind, name }) => {
          if (kind === 'request' && name === 'RunInstances') launches += 1;
        });
      },
    });
    base = await parameter();
  });

  it('bakes its first image within an hour, tries it, and the next job runs on it', async () => {
    expect(base).toMatch(/^ami-/);
    await stage.pass(75);
    first = await parameter();
    expect(first).not.toBe(base);
    expect(launches).toBe(2);
    expect(await left()).toEqual({ images: 1, snapshots: 1, instances: 0 });

    const [job] = stage.enqueue(3);
    await stage.fleet.until('the job is over', () => job!.endedAt !== undefined, 30 * minute);

    expect(stage.fleet.world.observe.instance(job!.runnerName!)?.imageId).toBe(first);
    expect(await list()).toMatch(/the next bake begins on .*: an image is baked every 1 days/);
    expect(refused).toEqual([]);
  });

  it('a bake that fails leaves the image that is in use, turns an alarm on, and is not tried again within a day', async () => {
    stage.fault({ service: 'machine', operation: 'try-image', times: 1, effect: { kind: 'boot-failure' } });
    // Nothing happens in the day that passes, and afterwards nothing but the bakes.
    const lost = (operation: RegExp) => stage.fault({ service: 'events', operation, effect: { kind: 'lose' } });
    const wakeAll = lost(/Schedule/);
    const wake = lost(/EveryMinute|runnerversion/);
    await stage.pass(23 * 60);
    wakeAll();
    await stage.pass(90);
    expect(launches).toBe(4);

    expect(await parameter()).toBe(first);
    expect(await left()).toEqual({ images: 1, snapshots: 1, instances: 0 });
    expect(await alarm()).toBe('ALARM');
    expect(await list()).toMatch(/the last bake failed on .*: the trial failed on i-\w+.*\nthe next bake begins on /);
    const findings = await drive(askFleetDoctor(stage.fleet));
    expect(findings.find(({ check }) => check === 'image-bakes-fail')).toMatchObject({
      verdict: 'problem',
      evidence: expect.stringContaining('the trial failed on i-'),
      fix: expect.stringMatching(/drover fleet logs i-\w+ --since 2d .*drover image bake/),
    });
    await stage.pass(6 * 60);
    expect(launches).toBe(4);
    wake();
  });

  it('the command bakes at any time, and the function goes on with it when it dies', async () => {
    const io = operatorIo(stage.fleet, () => {});
    const stop = new AbortController();
    const baking = imageBake({ ...io, signal: stop.signal }, { stack: fleetStackName, dryRun: false });
    await stage.pass(2);
    stop.abort();
    await drive(baking);
    expect(launches).toBe(5);

    await stage.pass(60);

    expect(await parameter()).not.toBe(first);
    expect(launches).toBe(6);
    expect(await left()).toEqual({ images: 2, snapshots: 2, instances: 0 });
    expect(await alarm()).toBe('OK');
    expect(refused).toEqual([]);
  });

  it('destroy ends a bake that is under way, the stack goes, and the command says that images are left', async () => {
    let said = '';
    const io = operatorIo(stage.fleet, (text) => {
      said += text;
    });
    const stop = new AbortController();
    const baking = imageBake({ ...io, signal: stop.signal }, { stack: fleetStackName, dryRun: false });
    await stage.pass(2);
    stop.abort();
    await drive(baking);

    const destroyed = fleetDestroy(io, { stack: fleetStackName, yes: true });
    expect(await stage.fleet.drive(destroyed, 24 * 60 * minute)).toBe(0);

    expect(bakingInstances(stage)).toEqual([]);
    expect(said).toContain('the images that were baked, with their snapshots,');
  });
});
