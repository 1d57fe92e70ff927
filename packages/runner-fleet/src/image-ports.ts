import type { Clock } from '@drover/core';
import type { GroupImage, ImageFacts, ImageInstance } from './model/image.ts';

/** The images of one group, and everything that a bake does. Each act may be repeated. */
export interface ImagePorts {
  readonly clock: Clock;
  read(): Promise<ImageFacts>;
  /** Launches the instance that bakes, of the base image. Returns its id. */
  launch(bakeId: string): Promise<string>;
  launchTrial(image: GroupImage): Promise<string>;
  createImage(instance: ImageInstance): Promise<void>;
  /** Has new instances take the image. */
  promote(imageId: string): Promise<void>;
  terminate(instanceId: string): Promise<void>;
  deregister(imageId: string): Promise<void>;
  deleteSnapshot(snapshotId: string): Promise<void>;
  /** Shows the operator the progress. */
  say(text: string): void;
}
