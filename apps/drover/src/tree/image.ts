import type { CommandSpec } from '@drover/command-tree';
import { stack, type } from './fleet-options.ts';
import { format } from './shared-options.ts';

/** Commands of the images of a fleet with `baked_image`. */
export const imageCommands = [
  {
    path: ['image', 'bake'],
    summary: 'makes an image of a configured instance, tries it, and has new instances take it: they boot faster',
    details: [
      'It takes about a quarter of an hour, can be interrupted, and is continued by the same command. Instances that run stay as they are. The image that was in use stays so until the new one has been tried.',
    ],
    options: [stack, type, { name: 'dry-run', summary: 'only print what would be done' }],
    examples: [['image bake', 'for the fleet of the stack runner-fleet']],
  },
  {
    path: ['image', 'list'],
    summary: 'the images that bakes have made, newest first',
    details: ['With image_bake_days also when the next bake begins by itself, and why the last one failed.'],
    options: [stack, type, format],
    examples: [['image list', 'which image new instances take']],
  },
  {
    path: ['image', 'use'],
    summary: 'has new instances take another image: one that was baked before, or the base image',
    args: [{ name: 'image', summary: 'id of an image of drover image list, or of the base image that it names' }],
    options: [stack, type],
    examples: [['image use ami-0123456789abcdef0', 'back to that image']],
  },
] as const satisfies readonly CommandSpec[];
