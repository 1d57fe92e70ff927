import { drawDelay } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { arn } from '../../../account/arn.ts';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import { type Image, publicImages } from '../catalog.ts';
import { ec2Error, notFound } from '../errors.ts';
import type { Instance, OwnImage, Snapshot, Volume } from '../model.ts';
import type { Registry } from '../registry.ts';
import { imageTiming as timing } from './timing.ts';

interface ImageRequest {
  readonly name: string;
  readonly description: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly snapshotTags: Readonly<Record<string, string>>;
}

/** Images that instances are launched from: those of others, and those made of instances of the account, with their snapshots. */
export class Images {
  readonly byId = new Map<string, Image | OwnImage>(publicImages.map((image) => [image.imageId, image]));
  readonly snapshots = new Map<string, Snapshot>();
  readonly #aws: AwsNeighbours;
  readonly #registry: Registry;
  readonly #random: Random;

  constructor(aws: AwsNeighbours, registry: Registry, random: Random) {
    this.#aws = aws;
    this.#registry = registry;
    this.#random = random;
  }

  /** The image is `pending` until its snapshots are taken, of the disks as they are now. */
  create(instance: Instance, volumes: readonly Volume[], request: ImageRequest): OwnImage {
    checkName(request.name);
    const taken = this.own().find(({ name }) => name === request.name);
    if (taken !== undefined)
      throw ec2Error('InvalidAMIName.Duplicate', `AMI name ${request.name} is already in use by AMI ${taken.imageId}`);
    const source = this.byId.get(instance.imageId);
    const root = volumes.find(({ attachment }) => attachment?.device === instance.rootDeviceName);
    const id = this.#registry.newId('ami');
    const image: OwnImage = this.#registry.add({
      id,
      arn: this.#arn('image', id),
      resourceType: 'image',
      tags: { ...request.tags },
      imageId: id,
      name: request.name,
      description: request.description,
      architecture: instance.architecture as Image['architecture'],
      rootDeviceName: instance.rootDeviceName,
      rootVolumeSize: root?.shape.sizeGiB ?? 8,
      ...(source?.remoteAgent === undefined ? {} : { remoteAgent: source.remoteAgent }),
      parameters: [],
      state: 'pending',
      createdAt: this.#aws.engine.clock.now(),
      sourceInstanceId: instance.id,
      disk: this.#aws.machines.diskOf(instance),
      snapshots: volumes.map((volume) => this.#snapshot(instance, id, volume, request.snapshotTags)),
    });
    this.byId.set(id, image);
    this.#aws.engine.clock.after(drawDelay(this.#random, timing.pending), () => this.#complete(image));
    return image;
  }

  own(): OwnImage[] {
    return [...this.byId.values()].filter((image) => 'sourceInstanceId' in image);
  }

  get(id: string): Image | OwnImage {
    if (!/^ami-[0-9a-f]{8}([0-9a-f]{9})?$/.test(id))
      throw ec2Error('InvalidAMIID.Malformed', `Invalid id: "${id}" (expecting "ami-...")`);
    const image = this.byId.get(id);
    if (image === undefined) throw notFound('InvalidAMIID.NotFound', 'image id', `[${id}]`);
    return image;
  }

  /** "When you deregister an AMI, its snapshots stay" (User Guide, "Deregister an Amazon EC2 AMI"); so do its instances. */
  deregister(id: string): void {
    const image = this.get(id);
    if (!('sourceInstanceId' in image)) throw ec2Error('AuthFailure', `Not authorized for image:${id}`);
    this.byId.delete(id);
    this.#registry.remove(id);
  }

  snapshot(id: string): Snapshot {
    const snapshot = this.snapshots.get(id);
    if (snapshot === undefined) throw notFound('InvalidSnapshot.NotFound', 'snapshot', id);
    return snapshot;
  }

  /** "You can't delete a snapshot of the root device of an EBS volume used by a registered AMI" (API Reference, DeleteSnapshot). */
  deleteSnapshot(id: string): void {
    const snapshot = this.snapshot(id);
    const user = this.own().find(({ snapshots }) => snapshots.includes(snapshot));
    if (user !== undefined)
      throw ec2Error('InvalidSnapshot.InUse', `The snapshot ${id} is currently in use by ${user.imageId}`);
    this.snapshots.delete(id);
    this.#registry.remove(id);
  }

  #complete(image: OwnImage): void {
    image.state = 'available';
    for (const snapshot of image.snapshots) snapshot.state = 'completed';
  }

  #snapshot(instance: Instance, imageId: string, volume: Volume, tags: Readonly<Record<string, string>>): Snapshot {
    const id = this.#registry.newId('snap');
    const snapshot: Snapshot = this.#registry.add({
      id,
      arn: this.#arn('snapshot', id),
      resourceType: 'snapshot',
      tags: { ...tags },
      device: volume.attachment?.device ?? '',
      volumeId: volume.id,
      sizeGiB: volume.shape.sizeGiB,
      encrypted: volume.encrypted,
      startedAt: this.#aws.engine.clock.now(),
      description: `Created by CreateImage(${instance.id}) for ${imageId}`,
      state: 'pending',
    });
    this.snapshots.set(id, snapshot);
    return snapshot;
  }

  /** ARNs of images and snapshots name no account (Service Authorization Reference, Amazon EC2). */
  #arn(kind: 'image' | 'snapshot', id: string): string {
    return arn({ region: this.#aws.region, accountId: '' }, 'ec2', `${kind}/${id}`);
  }
}

/** "3-128 alphanumeric characters, parentheses, square brackets, spaces, periods, slashes, dashes, single quotes, at-signs, or underscores" (API Reference, CreateImage). */
function checkName(name: string): void {
  if (!/^[A-Za-z0-9()[\] ./\-'@_]{3,128}$/.test(name))
    throw ec2Error(
      'InvalidAMIName.Malformed',
      `AMI names must be between 3 and 128 characters long, and may contain letters, numbers, '(', ')', '.', '-', '/' and '_'`,
    );
}

/** Refuses an image that cannot be launched from yet. */
export function requireAvailable(image: Image | OwnImage): void {
  if ('state' in image && image.state !== 'available')
    throw ec2Error('InvalidAMIID.Unavailable', `The image ID '[${image.imageId}]' is not available`);
}
