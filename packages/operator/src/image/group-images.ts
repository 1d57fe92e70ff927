import { bakingGroup, scheduledImages } from '@drover/adapters/aws';
import { type Clock, TerminalError } from '@drover/core';
import type { OpenGroup } from '../fleet/open-fleet.ts';

/** The images of a group, with the operator's credentials. */
export async function groupImages({ calls, groupName, config }: OpenGroup, clock: Clock, say: (text: string) => void) {
  const group = await bakingGroup(calls, groupName, config.memory.bucket);
  if (group === undefined)
    throw new TerminalError(`${groupName} was not deployed with baked_image`, {
      remedy: 'set baked_image: true and deploy the stack, then run this again',
    });
  return { baseImage: group.baseImage, ...scheduledImages(calls, group, clock, say) };
}
