import type { RootFilesystem } from '@drover/cloud-machines/linux';
import { dockerFilesystem, searchFilesystem } from './image.ts';

/** One file of stories, run in namespaces of its own. */
export interface Story {
  /** Of the file, without `.story.ts`. */
  readonly name: string;
  readonly about: string;
  /** What takes longer has failed. */
  readonly seconds: number;
  /** What its machines boot, made before it begins. @default what a runner needs */
  readonly filesystem?: RootFilesystem;
  /** Needs a package of Elasticsearch, made before it begins. @default false */
  readonly elasticsearch?: boolean;
  /** Runs in CI. */
  readonly core: boolean;
}

/** All stories on real machines. The limits are a good deal more than what they take on two cores with nothing else to do. */
export const stories: readonly Story[] = [
  {
    name: 'machine',
    about: 'a container boots, freezes, reboots, loses network, disk and power',
    seconds: 45,
    core: true,
  },
  { name: 'host-contract', about: 'what the agent relies on, on a real kernel', seconds: 60, core: true },
  {
    name: 'life',
    about: 'a runner from launch to power-off, with what may happen to it in between',
    seconds: 400,
    core: true,
  },
  {
    name: 'boot-failures',
    about: 'launches that cannot succeed are abandoned with a reason',
    seconds: 400,
    core: false,
  },
  { name: 'listener', about: 'listeners that end or are killed', seconds: 520, core: false },
  { name: 'agent-killed', about: 'the agent is killed after each step of one life', seconds: 380, core: false },
  { name: 'reports-denied', about: 'a host that may not report serves and drains', seconds: 360, core: false },
  { name: 'disk-full', about: 'a host without space is drained', seconds: 320, core: false },
  {
    name: 'docker',
    about: 'jobs that may use Docker and sudo',
    seconds: 160,
    core: false,
    filesystem: dockerFilesystem,
  },
  {
    name: 'search-formation',
    about: 'real Elasticsearch nodes form a cluster from user data, lose a node and a command, and are replaced',
    seconds: 950,
    core: false,
    filesystem: searchFilesystem,
    elasticsearch: true,
  },
];
