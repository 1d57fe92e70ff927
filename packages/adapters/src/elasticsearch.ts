/** The ports of the search cluster on Elasticsearch's API. */
export {
  clusterSettings,
  healthReader,
  healthWithoutDrills,
  type LastVotes,
  readLastVotes,
} from './elasticsearch/cluster.ts';
export { clusterContents, lifecycleManagement } from './elasticsearch/contents.ts';
export { drillIndices } from './elasticsearch/drill.ts';
export { indexSettings } from './elasticsearch/index-settings.ts';
export { serviceTokens, userPasswords } from './elasticsearch/passwords.ts';
export { snapshotPolicyStore } from './elasticsearch/policies.ts';
export { pressureReader } from './elasticsearch/pressure.ts';
export { snapshotRepositories } from './elasticsearch/repositories.ts';
export { searchRoles } from './elasticsearch/roles.ts';
export { snapshotCatalog, snapshotPath, snapshotRestorer, snapshotStore } from './elasticsearch/snapshots.ts';
