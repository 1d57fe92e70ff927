import type { RootFilesystem } from '@drover/cloud-machines/linux';

/** What cloud-init, Puppet and the runner's own script would install, if anything led out of the machines' network. */
export const runnerFilesystem: RootFilesystem = {
  suite: 'bookworm',
  packages: ['puppet', 'git', 'tar', 'libicu72', 'liblttng-ust1', 'libkrb5-3', 'zlib1g', 'libssl3'],
};

/** With the daemon that the input `docker` asks for. */
export const dockerFilesystem: RootFilesystem = {
  suite: runnerFilesystem.suite,
  packages: [...runnerFilesystem.packages, 'docker.io'],
};
