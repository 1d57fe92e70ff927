import { catClusterRoutes } from '../cat/cat-cluster.ts';
import { catHealthRoute } from '../cat/cat-health.ts';
import { catIndexRoutes } from '../cat/cat-indices.ts';
import { catNodeRoutes } from '../cat/cat-nodes.ts';
import { aliasRoutes } from './api/aliases.ts';
import { allocationExplainRoutes } from './api/allocation-explain.ts';
import { bulkRoutes } from './api/bulk.ts';
import { clusterHealthRoutes } from './api/cluster-health.ts';
import { clusterSettingsRoutes } from './api/cluster-settings.ts';
import { clusterStateRoutes } from './api/cluster-state.ts';
import { documentRoutes } from './api/documents.ts';
import { indexAdminRoutes } from './api/index-admin.ts';
import { indexSettingsRoutes } from './api/index-settings.ts';
import { indexRoutes } from './api/indices.ts';
import { mainRoutes } from './api/main.ts';
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
import { votingRoutes } from './api/voting.ts';
import type { Route } from './route.ts';
import { Router } from './router.ts';

/** Every endpoint that the model knows. */
export const routes: readonly Route[] = [
  ...mainRoutes,
  ...clusterHealthRoutes,
  ...clusterSettingsRoutes,
  ...clusterStateRoutes,
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
  ...bulkRoutes,
  ...searchRoutes,
  catHealthRoute,
  ...catNodeRoutes,
  ...catIndexRoutes,
  ...catClusterRoutes,
];

export const router = new Router(routes);
