import { aboutRoutes } from '../api/cluster/about.ts';
import { allocationExplainRoutes } from '../api/cluster/allocation-explain.ts';
import { clusterHealthRoutes } from '../api/cluster/cluster-health.ts';
import { clusterSettingsRoutes } from '../api/cluster/cluster-settings.ts';
import { clusterStateRoutes } from '../api/cluster/cluster-state.ts';
import { clusterStatsRoutes } from '../api/cluster/cluster-stats.ts';
import { healthReportRoutes } from '../api/cluster/health-report.ts';
import { migrationRoutes } from '../api/cluster/migration.ts';
import { rerouteRoutes } from '../api/cluster/reroute.ts';
import { votingRoutes } from '../api/cluster/voting.ts';
import { bulkRoutes } from '../api/documents/bulk.ts';
import { documentRoutes } from '../api/documents/documents.ts';
import { multiGetRoutes } from '../api/documents/multi-get.ts';
import { reindexRoutes } from '../api/documents/reindex.ts';
import { searchRoutes } from '../api/documents/search.ts';
import { typedDocumentRoutes } from '../api/documents/typed-documents.ts';
import { aliasRoutes } from '../api/indices/aliases.ts';
import { dataStreamRoutes } from '../api/indices/data-streams.ts';
import { indexAdminRoutes } from '../api/indices/index-admin.ts';
import { indexSettingsRoutes } from '../api/indices/index-settings.ts';
import { indexStatsRoutes } from '../api/indices/index-stats.ts';
import { indexRoutes } from '../api/indices/indices.ts';
import { lifecycleRoutes } from '../api/indices/lifecycle.ts';
import { recoveryRoutes } from '../api/indices/recovery.ts';
import { templateRoutes } from '../api/indices/templates.ts';
import { nodesInfoRoutes } from '../api/nodes/nodes-info.ts';
import { nodesStatsRoutes } from '../api/nodes/nodes-stats.ts';
import { shutdownRoutes } from '../api/nodes/shutdown.ts';
import { taskRoutes } from '../api/nodes/tasks.ts';
import { securitySelfRoutes } from '../api/security/current-user.ts';
import { securityRoleRoutes } from '../api/security/roles.ts';
import { serviceTokenRoutes } from '../api/security/service-tokens.ts';
import { securityUserRoutes } from '../api/security/users.ts';
import { repositoryRoutes } from '../api/snapshots/repositories.ts';
import { slmRoutes } from '../api/snapshots/slm.ts';
import { snapshotStatusRoutes } from '../api/snapshots/snapshot-status.ts';
import { snapshotRoutes } from '../api/snapshots/snapshots.ts';
import { catClusterRoutes } from '../cat/cat-cluster.ts';
import { catHealthRoute } from '../cat/cat-health.ts';
import { catIndexRoutes } from '../cat/cat-indices.ts';
import { catNodeRoutes } from '../cat/cat-nodes.ts';
import type { Endpoint } from './route.ts';

/** Every API that is modelled. */
export const endpoints: readonly Endpoint[] = [
  ...aboutRoutes,
  ...clusterHealthRoutes,
  ...clusterSettingsRoutes,
  ...clusterStateRoutes,
  ...clusterStatsRoutes,
  ...healthReportRoutes,
  ...nodesInfoRoutes,
  ...nodesStatsRoutes,
  ...taskRoutes,
  ...templateRoutes,
  ...indexStatsRoutes,
  ...dataStreamRoutes,
  ...lifecycleRoutes,
  ...allocationExplainRoutes,
  ...rerouteRoutes,
  ...votingRoutes,
  ...migrationRoutes,
  ...shutdownRoutes,
  ...recoveryRoutes,
  ...repositoryRoutes,
  ...snapshotRoutes,
  ...snapshotStatusRoutes,
  ...slmRoutes,
  ...securityUserRoutes,
  ...securityRoleRoutes,
  ...securitySelfRoutes,
  ...serviceTokenRoutes,
  ...indexRoutes,
  ...indexSettingsRoutes,
  ...indexAdminRoutes,
  ...aliasRoutes,
  ...documentRoutes,
  ...multiGetRoutes,
  ...typedDocumentRoutes,
  ...bulkRoutes,
  ...reindexRoutes,
  ...searchRoutes,
  catHealthRoute,
  ...catNodeRoutes,
  ...catIndexRoutes,
  ...catClusterRoutes,
];
