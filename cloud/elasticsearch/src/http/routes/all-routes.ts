import { atLeast } from '../engine/state/versions.ts';
import { aliasRoutes } from './api/aliases.ts';
import { allocationExplainRoutes } from './api/allocation-explain.ts';
import { bulkRoutes } from './api/bulk.ts';
import { clusterHealthRoutes } from './api/cluster-health.ts';
import { clusterSettingsRoutes } from './api/cluster-settings.ts';
import { clusterStateRoutes } from './api/cluster-state.ts';
import { clusterStatsRoutes } from './api/cluster-stats.ts';
import { documentRoutes } from './api/documents.ts';
import { healthReportRoutes } from './api/health-report.ts';
import { indexAdminRoutes } from './api/index-admin.ts';
import { indexSettingsRoutes } from './api/index-settings.ts';
import { indexStatsRoutes } from './api/index-stats.ts';
import { indexRoutes } from './api/indices.ts';
import { mainRoutes } from './api/main.ts';
import { multiGetRoutes } from './api/multi-get.ts';
import { nodesInfoRoutes } from './api/nodes-info.ts';
import { nodesStatsRoutes } from './api/nodes-stats.ts';
import { oddRoutes } from './api/odds.ts';
import { recoveryRoutes } from './api/recovery.ts';
import { repositoryRoutes } from './api/repositories.ts';
import { rerouteRoutes } from './api/reroute.ts';
import { searchRoutes } from './api/search.ts';
import { securityApiKeyRoutes } from './api/security-api-keys.ts';
import { securityRoleRoutes } from './api/security-roles.ts';
import { securitySelfRoutes } from './api/security-self.ts';
import { securityUserRoutes } from './api/security-users.ts';
import { shutdownRoutes } from './api/shutdown.ts';
import { slmRoutes } from './api/slm.ts';
import { snapshotStatusRoutes } from './api/snapshot-status.ts';
import { snapshotRoutes } from './api/snapshots.ts';
import { taskRoutes } from './api/tasks.ts';
import { templateRoutes } from './api/templates.ts';
import { typedDocumentRoutes } from './api/typed-documents.ts';
import { updateRoutes } from './api/update-document.ts';
import { votingRoutes } from './api/voting.ts';
import { catClusterRoutes } from './cat/cat-cluster.ts';
import { catHealthRoute } from './cat/cat-health.ts';
import { catIndexRoutes } from './cat/cat-indices.ts';
import { catNodeRoutes } from './cat/cat-nodes.ts';
import type { Route } from './route.ts';
import { Router } from './router.ts';

/** Every endpoint that the model knows. */
export const routes: readonly Route[] = [
  ...mainRoutes,
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
  ...oddRoutes,
  ...allocationExplainRoutes,
  ...rerouteRoutes,
  ...votingRoutes,
  ...shutdownRoutes,
  ...recoveryRoutes,
  ...repositoryRoutes,
  ...snapshotRoutes,
  ...snapshotStatusRoutes,
  ...slmRoutes,
  ...securityUserRoutes,
  ...securityRoleRoutes,
  ...securitySelfRoutes,
  ...securityApiKeyRoutes,
  ...indexRoutes,
  ...indexSettingsRoutes,
  ...indexAdminRoutes,
  ...aliasRoutes,
  ...documentRoutes,
  ...updateRoutes,
  ...multiGetRoutes,
  ...typedDocumentRoutes,
  ...bulkRoutes,
  ...searchRoutes,
  catHealthRoute,
  ...catNodeRoutes,
  ...catIndexRoutes,
  ...catClusterRoutes,
];

const routers = new Map<string, Router>();

/** The endpoints that a server of this version has. */
export function routerFor(version: string): Router {
  let router = routers.get(version);
  if (router === undefined) {
    router = new Router(routes.filter(({ below }) => below === undefined || !atLeast(version, below)));
    routers.set(version, router);
  }
  return router;
}
