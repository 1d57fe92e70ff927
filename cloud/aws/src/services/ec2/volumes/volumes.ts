import { type DelayRange, drawDelay } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { arn } from '../../../account/arn.ts';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import { ec2Error, invalidParameter, notFound } from '../errors.ts';
import type { LaunchPlan } from '../instances/launch-instance.ts';
import { type Instance, type OwnImage, tagsFor, type Volume, type VolumeShape } from '../model.ts';
import type { Registry } from '../registry.ts';
import { volumeTiming as timing } from './timing.ts';

/** The parameters of a modification; what is left out stays as it is. */
export type VolumeChange = Partial<Omit<VolumeShape, 'type'>>;

/** EBS volumes: made with their instance, modified while they are in use, deleted with it (EBS User Guide, "Elastic Volumes"). */
export class Volumes {
  readonly byId = new Map<string, Volume>();
  readonly #aws: AwsNeighbours;
  readonly #registry: Registry;
  readonly #random: Random;

  constructor(aws: AwsNeighbours, registry: Registry, random: Random) {
    this.#aws = aws;
    this.#registry = registry;
    this.#random = random;
  }

  /** The root volume of the image, and what the launch template maps besides. */
  create(instance: Instance, { data, image }: LaunchPlan): void {
    const mappings = data.BlockDeviceMappings ?? [];
    const root = mappings.find(({ DeviceName }) => DeviceName === image.rootDeviceName) ?? {
      DeviceName: image.rootDeviceName,
    };
    const others = mappings.filter((mapping) => mapping !== root && mapping.Ebs !== undefined);
    for (const { DeviceName = '', Ebs = {} } of [root, ...others]) {
      const id = `vol-0${this.#random.hex(16)}`;
      const volume: Volume = {
        id,
        arn: arn(this.#aws, 'ec2', `volume/${id}`),
        resourceType: 'volume',
        tags: tagsFor(data.TagSpecifications, 'volume'),
        zone: instance.availabilityZone,
        createdAt: this.#aws.engine.clock.now(),
        encrypted:
          Ebs.Encrypted ?? ('snapshots' in image && (image as OwnImage).snapshots.some(({ encrypted }) => encrypted)),
        shape: shapeOf(Ebs, image.rootVolumeSize),
        attachment: {
          instanceId: instance.id,
          device: DeviceName,
          deleteOnTermination: Ebs.DeleteOnTermination ?? DeviceName === image.rootDeviceName,
        },
        modification: undefined,
        modifiedAt: [],
      };
      this.byId.set(id, this.#registry.add(volume));
    }
  }

  of(instanceId: string): readonly Volume[] {
    return [...this.byId.values()].filter(({ attachment }) => attachment?.instanceId === instanceId);
  }

  /** An instance is gone: what was to be deleted with it is. */
  release(instanceId: string): void {
    for (const volume of this.of(instanceId)) {
      if (volume.attachment?.deleteOnTermination === true) {
        this.byId.delete(volume.id);
        this.#registry.remove(volume.id);
      } else volume.attachment = undefined;
    }
  }

  get(id: string): Volume {
    const volume = this.byId.get(id);
    if (volume === undefined) throw notFound('InvalidVolume.NotFound', 'volume', id);
    return volume;
  }

  modify(volume: Volume, change: VolumeChange): void {
    const target = { ...volume.shape, ...change };
    checkTarget(volume, target);
    this.#checkRate(volume);
    const startedAt = this.#aws.engine.clock.now();
    volume.modifiedAt.push(startedAt);
    volume.modification = {
      state: 'modifying',
      progress: 0,
      original: volume.shape,
      target,
      startedAt,
      endedAt: undefined,
    };
    this.#after(timing.modifying, () => this.#optimize(volume, startedAt));
  }

  /** "The new size takes effect once the volume has entered the optimizing state": the device has it from now on. */
  #optimize(volume: Volume, startedAt: number): void {
    const { modification } = volume;
    if (modification?.startedAt !== startedAt) return;
    volume.shape = modification.target;
    Object.assign(modification, { state: 'optimizing', progress: 1 });
    this.#after(timing.optimizing, () => {
      Object.assign(modification, { state: 'completed', progress: 100, endedAt: this.#aws.engine.clock.now() });
    });
  }

  /**
   * "You must wait for that modification to reach the completed state before you can initiate another … You can modify a
   * volume up to four times within a rolling 24-hour period" (API Reference, ModifyVolume). The words are as clients report them.
   */
  #checkRate(volume: Volume): void {
    const { id, modification } = volume;
    if (modification !== undefined && modification.state !== 'completed')
      throw ec2Error(
        'IncorrectModificationState',
        `Volume ${id} cannot be modified in modification state ${modification.state.toUpperCase()}`,
      );
    const now = this.#aws.engine.clock.now();
    const recent = volume.modifiedAt.filter((at) => now - at < timing.rateWindowMs);
    volume.modifiedAt.splice(0, volume.modifiedAt.length, ...recent);
    if (recent.length < timing.mostInWindow) return;
    const next = new Date(recent[0]! + timing.rateWindowMs).toISOString();
    throw ec2Error(
      'VolumeModificationRateExceeded',
      `You've reached the maximum modification rate per volume limit. Wait until ${next} before you modify this volume again.`,
    );
  }

  #after(range: DelayRange, act: () => void): void {
    this.#aws.engine.clock.after(drawDelay(this.#random, range), act);
  }
}

/** Of a mapping; the size of the image's snapshot where it says none. */
const shapeOf = (
  {
    VolumeSize,
    VolumeType = 'gp3',
    Iops,
    Throughput,
  }: { VolumeSize?: number; VolumeType?: string; Iops?: number; Throughput?: number },
  imageGiB: number,
): VolumeShape => ({
  sizeGiB: VolumeSize ?? imageGiB,
  type: VolumeType,
  iops: Iops ?? 3_000,
  throughput: Throughput ?? 125,
});

/** gp3: 1 GiB to 64 TiB, 500 IOPS for a GiB, a quarter of them as MiB/s (EBS User Guide, "General Purpose SSD volumes"). */
function checkTarget({ shape }: Volume, target: VolumeShape): void {
  if (target.sizeGiB < shape.sizeGiB)
    throw invalidParameter(
      `New size cannot be smaller than existing size. Existing size: ${shape.sizeGiB}, requested: ${target.sizeGiB}`,
    );
  if (target.sizeGiB > largestGiB)
    throw invalidParameter(
      `Volume of ${target.sizeGiB}GiB is too large for volume type ${target.type}; maximum is ${largestGiB}GiB.`,
    );
  if (target.iops > 500 * target.sizeGiB)
    throw invalidParameter(`Iops to volume size ratio of ${target.iops / target.sizeGiB} is too high; maximum is 500.`);
  if (target.throughput > target.iops / 4)
    throw invalidParameter(
      `Throughput (MiBps) to iops ratio of ${target.throughput / target.iops} is too high; maximum is 0.25.`,
    );
}

const largestGiB = 65_536;
