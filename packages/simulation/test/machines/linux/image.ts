import type { RootFilesystem } from '@drover/cloud-machines/linux';

/**
 * The packages that cloud-init, Puppet and the runner's own script would install, if anything led out of the machines'
 * network.
 */
export const runnerFilesystem: RootFilesystem = {
  suite: 'bookworm',
  packages: ['puppet', 'git', 'tar', 'libicu72', 'liblttng-ust1', 'libkrb5-3', 'zlib1g', 'libssl3'],
};

/** The same on the release after: Puppet 8. */
export const debian13Filesystem: RootFilesystem = {
  suite: 'trixie',
  packages: ['puppet', 'git', 'tar', 'libicu76', 'liblttng-ust1t64', 'libkrb5-3', 'zlib1g', 'libssl3t64'],
  // It would look for network interfaces that come later; a container has no udev to report them.
  cloudConfig: 'updates: {network: {when: [boot-new-instance]}}',
};

/** Without Puppet, curl and the like: everything that a first boot installs comes from the distribution's archive. */
export const bareFilesystem: RootFilesystem = { suite: runnerFilesystem.suite, bare: true, packages: [] };
export const bareDebian13Filesystem: RootFilesystem = {
  suite: debian13Filesystem.suite,
  bare: true,
  packages: [],
  cloudConfig: debian13Filesystem.cloudConfig!,
};

/** With the daemon that the input `docker` asks for. */
export const dockerFilesystem: RootFilesystem = {
  suite: runnerFilesystem.suite,
  packages: [...runnerFilesystem.packages, 'docker.io'],
};

/**
 * The packages that a search node needs: Java for the test distribution of Elasticsearch, which brings none, and the
 * two exporters.
 */
export const searchFilesystem: RootFilesystem = {
  suite: runnerFilesystem.suite,
  packages: [
    ...['puppet', 'openjdk-17-jre-headless'],
    ...['prometheus-elasticsearch-exporter', 'prometheus-node-exporter'],
  ],
};
