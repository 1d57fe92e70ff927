export { clusterHealth } from './engine/coordination/health.ts';
export { type NodeOptions, SearchNode } from './engine/coordination/search-node.ts';
export type { SearchClusterOptions } from './engine/search-cluster.ts';
export type { RoleDescriptor } from './engine/security/roles.ts';
export { MemoryStore, type OpenStore } from './engine/snapshots/object-store.ts';
export { allShards, type ClusterState, type ShutdownRecord } from './engine/state/cluster-state.ts';
export { isActive } from './engine/state/shard.ts';
export { routes } from './http/routes/all-routes.ts';
export { SearchCluster, serveNode } from './serving-cluster.ts';
