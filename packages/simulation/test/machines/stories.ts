import type { RootFilesystem } from '@drover/cloud-machines/linux';
import {
  bareDebian13Filesystem,
  bareFilesystem,
  debian13Filesystem,
  dockerFilesystem,
  runnerFilesystem,
  searchFilesystem,
} from './linux/image.ts';

/** One file of stories, run in namespaces of its own. */
export interface Story {
  /** Of the file, without `.story.ts`. */
  readonly name: string;
  readonly about: string;
  /** How long it takes on two cores that do nothing else; after half as long again it has failed. */
  readonly seconds: number;
  /** The filesystems of its machines, made before it begins. @default that of a runner */
  readonly filesystem?: RootFilesystem | readonly RootFilesystem[];
  /** Needs a package of Elasticsearch, made before it begins. @default false */
  readonly elasticsearch?: boolean;
  /** Needs GitHub's own runner: skipped, with the reason, where that cannot be had. @default false */
  readonly original?: boolean;
  /** Runs only when it is named: it would take the whole lane beyond an hour. */
  readonly byName?: true;
  /** Runs in CI. */
  readonly core: boolean;
}

/** All stories on real machines. */
export const stories: readonly Story[] = [
  {
    name: 'machine',
    about: 'a container boots, freezes, reboots, loses network, disk and power, and has neighbours',
    seconds: 40,
    core: true,
  },
  {
    name: 'host-contract',
    about: 'what the agent relies on, on a real kernel; the packages for Debian',
    seconds: 45,
    core: true,
  },
  {
    name: 'life',
    about: 'a runner from launch to power-off, with what may happen to it in between',
    seconds: 275,
    core: true,
  },
  {
    name: 'jobs-mode',
    about: 'a fleet in jobs mode: one job for each host, its files, its end, a drain during a job',
    seconds: 220,
    core: true,
  },
  {
    name: 'boot-failures',
    about: 'launches that cannot succeed are abandoned with a reason',
    seconds: 310,
    core: false,
  },
  { name: 'listener', about: 'listeners that end or are killed', seconds: 455, core: false },
  { name: 'agent-killed', about: 'the agent is killed after each step of one life', seconds: 290, core: false },
  { name: 'reports-denied', about: 'a host that may not report serves and drains', seconds: 440, core: false },
  { name: 'disk-full', about: 'a host without space is drained', seconds: 280, core: false },
  { name: 'attacks', about: 'a job tries to misuse its host', seconds: 115, core: false },
  {
    name: 'docker',
    about: 'jobs that may use Docker and sudo',
    seconds: 155,
    core: false,
    filesystem: dockerFilesystem,
  },
  {
    name: 'bake',
    about: 'a host becomes an image, its trial, and how long hosts boot with and without it (DROVER_BOOTS of each)',
    seconds: 1600,
    core: false,
    byName: true,
  },
  {
    name: 'debian-13',
    about: 'a runner on the release after: Puppet 8, a newer systemd and cloud-init',
    seconds: 320,
    core: false,
    byName: true,
    filesystem: debian13Filesystem,
  },
  {
    name: 'first-boot',
    about:
      'machines that have to install everything, from the archive of Debian 12 and 13 and the mirror of the runner',
    seconds: 360,
    core: false,
    byName: true,
    filesystem: [bareFilesystem, bareDebian13Filesystem],
  },
  {
    name: 'original',
    about: "GitHub's own runner is killed, stopped and misused by jobs",
    seconds: 600,
    core: false,
    byName: true,
    original: true,
  },
  {
    name: 'interrupted-job',
    about: 'the runner’s programs get SIGTERM during a job, its host reboots, and loses its power',
    // Beside other work; ten minutes are a lease.
    seconds: 750,
    core: false,
    byName: true,
    original: true,
  },
  {
    name: 'outage',
    about: 'GitHub is away for twelve minutes during a job, in four ways',
    seconds: 1500,
    core: false,
    byName: true,
    original: true,
  },
  {
    name: 'lost-registration',
    about: 'runners that GitHub deletes or gives to another machine, in both modes',
    // Beside other work; half an hour are two sweeps.
    seconds: 2500,
    core: false,
    byName: true,
    original: true,
  },
  {
    name: 'silence',
    about: 'hosts that stop alone while jobs come and are acquired, in both modes',
    // Beside other work; ten minutes are hosts that wait for a word.
    seconds: 1080,
    core: false,
    byName: true,
    original: true,
  },
  {
    name: 'old-version',
    about: 'GitHub serves the version of the runner no more for four minutes',
    seconds: 460,
    core: false,
    byName: true,
    original: true,
  },
  {
    name: 'removal',
    about: 'jobs that come while five idle hosts leave',
    seconds: 260,
    core: true,
    original: true,
  },
  {
    name: 'removal-jobs',
    about: 'jobs that come while five idle hosts of jobs mode leave',
    // Beside other work.
    seconds: 230,
    core: false,
    byName: true,
    original: true,
  },
  {
    name: 'spot-notice',
    about: 'a spot instance that is taken away during a job',
    seconds: 220,
    core: false,
  },
  {
    name: 'warm-pool',
    about: 'an instance that hibernates in the warm pool and leaves it',
    seconds: 350,
    core: false,
  },
  {
    name: 'systemd',
    about: 'the host contract with the cases that take minutes, on two releases of systemd',
    seconds: 400,
    core: false,
    byName: true,
    filesystem: [runnerFilesystem, debian13Filesystem],
  },
  {
    name: 'search-formation',
    about: 'real Elasticsearch nodes form a cluster from user data, lose a node and a command, and are replaced',
    // Beside other work.
    seconds: 800,
    core: false,
    byName: true,
    filesystem: searchFilesystem,
    elasticsearch: true,
  },
];
