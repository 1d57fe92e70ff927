export { type EndedRun, killSelf } from './cluster-command.ts';
export { createGroups, launchTemplateName, secretIds } from './create-groups.ts';
export { DeployedCluster, type DeployedClusterOptions, mastersHost } from './deployed-cluster.ts';
export { DocumentWriter } from './document-writer.ts';
export { installedVersion, noPackagesFile } from './installed-package.ts';
export { kibanaStandIn } from './kibana-stand-in.ts';
export { unsettledFile } from './machine/apply-catalog.ts';
export { roleStores } from './machine/role-buckets.ts';
export { commission, scheduledDrain } from './search-image.ts';
