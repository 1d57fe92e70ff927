export { Container } from './container.ts';
export { type ContainerImageOptions, containerImage } from './container-image.ts';
export { removeLeftovers } from './control-groups.ts';
export { whyNoDrives } from './drive.ts';
export { LinuxCloud } from './linux-cloud.ts';
export type { Filtered } from './packet-rules.ts';
export { inOwnNamespaces, whyNoContainers } from './possible.ts';
export { type RootFilesystem, rootFilesystem } from './root-filesystem.ts';
