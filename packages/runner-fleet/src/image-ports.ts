import type { Clock } from '@drover/core';
import type { BakeNote, GroupImage, ImageFacts, ImageInstance, WantedImage } from './model/image.ts';

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

/** The note of a group's last bake. */
export interface BakeNotes {
  read(): Promise<BakeNote | undefined>;
  /** Returns whether it was written: not if someone else wrote since it was read. */
  write(note: BakeNote): Promise<boolean>;
}

/** The images of one group that are baked by themselves. */
export interface ScheduledImagePorts extends ImagePorts {
  readonly groupName: string;
  /** Whether the group may have an instance: otherwise it is being taken down, and no bake begins. */
  readonly mayLaunch: boolean;
  readonly notes: BakeNotes;
  wanted(): Promise<WantedImage>;
}
