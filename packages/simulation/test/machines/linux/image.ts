import type { RootFilesystem } from '@drover/cloud-machines/linux';

// It would look for network interfaces that come later; a container has no udev to report them.
const cloudConfig = 'updates: {network: {when: [boot-new-instance]}}';

/** `--root SUITE,MIRROR[,KEYRING]`: another release, of Debian or Ubuntu. */
const otherRoot = process.env.DROVER_ROOT;

/**
 * The packages that cloud-init, Puppet and the runner's own script would install, if anything led out of the machines'
 * network.
 */
export const runnerFilesystem: RootFilesystem =
  otherRoot === undefined
    ? {
        suite: 'bookworm',
        packages: ['puppet', 'git', 'tar', 'libicu72', 'liblttng-ust1', 'libkrb5-3', 'zlib1g', 'libssl3'],
      }
    : rootOf(otherRoot);

function rootOf(named: string): RootFilesystem {
  const [suite = '', mirror = '', keyring] = named.split(',');
  if (!/^https?:/.test(mirror)) throw new Error(`--root ${named}: it is SUITE,MIRROR or SUITE,MIRROR,KEYRING`);
  // Puppet is in universe.
  const components = mirror.replace(/\/$/, '').endsWith('/ubuntu') ? ['main', 'universe'] : ['main'];
  return {
    suite,
    archive: { mirror, components, ...(keyring === undefined ? {} : { keyring }) },
    // Libraries have their versions in their names, which apt takes as expressions.
    packages: [
      'puppet',
      'git',
      'tar',
      '^libicu[0-9]+$',
      '^liblttng-ust1(t64)?$',
      'libkrb5-3',
      'zlib1g',
      '^libssl3(t64)?$',
    ],
    cloudConfig,
  };
}

/** The same on the release after: Puppet 8. */
export const debian13Filesystem: RootFilesystem = {
  suite: 'trixie',
  packages: ['puppet', 'git', 'tar', 'libicu76', 'liblttng-ust1t64', 'libkrb5-3', 'zlib1g', 'libssl3t64'],
  cloudConfig,
};

/** Without Puppet, curl and the like: everything that a first boot installs comes from the distribution's archive. */
export const bareFilesystem: RootFilesystem = { suite: 'bookworm', bare: true, packages: [] };
export const bareDebian13Filesystem: RootFilesystem = {
  suite: 'trixie',
  bare: true,
  packages: [],
  cloudConfig,
};

/** With the daemon that the input `docker` asks for. */
export const dockerFilesystem: RootFilesystem = {
  ...runnerFilesystem,
  packages: [...runnerFilesystem.packages, 'docker.io'],
};

/**
 * The packages that a search node needs: Java for the test distribution of Elasticsearch, which brings none, and the
 * two exporters.
 */
export const searchFilesystem: RootFilesystem = {
  suite: 'bookworm',
  packages: [
    ...['puppet', 'openjdk-17-jre-headless'],
    ...['prometheus-elasticsearch-exporter', 'prometheus-node-exporter'],
  ],
};
