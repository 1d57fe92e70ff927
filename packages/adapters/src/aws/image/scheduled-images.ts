import type { Clock } from '@drover/core';
import { bakeNoteKey, otherReleaseObject, releaseObject } from '@drover/core/names/runner-fleet';
import type { BakeNote, ScheduledImagePorts } from '@drover/runner-fleet';
import { readRelease } from '../release-mirror.ts';
import { conditionalObject } from '../stored-objects.ts';
import type { BakingGroup } from './baking-groups.ts';
import { groupImages } from './group-images.ts';
import type { ImageAws } from './image-facts.ts';

/** The images of a group, with the note of its last bake and what a new one would be made of. */
export function scheduledImages(
  aws: ImageAws,
  group: BakingGroup,
  clock: Clock,
  say: (text: string) => void,
): ScheduledImagePorts {
  const { bucket, groupName, baseImage } = group;
  return {
    ...groupImages(aws, group, clock, say),
    groupName,
    mayLaunch: group.mayLaunch,
    notes: conditionalObject<BakeNote>(aws, bucket, bakeNoteKey(groupName)),
    wanted: async () => {
      const release = await readRelease(aws, bucket, group.otherArchitecture ? otherReleaseObject : releaseObject);
      const { Version: template } = group.template;
      return { baseImage, template, ...(release === undefined ? {} : { runner: release.version }) };
    },
  };
}
