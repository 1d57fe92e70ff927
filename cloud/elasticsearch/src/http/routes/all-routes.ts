import { atLeast } from '../../engine/state/versions.ts';
import { endpoints } from './endpoints.ts';
import table from './requests.json' with { type: 'json' };
import type { Endpoint, RequestTable, Route } from './route.ts';
import { Router } from './router.ts';

/** Parameters that cat APIs of some versions take. */
const catParams = ['local', 'master_timeout', 'size', 'ts'];

/** Every API that is modelled, with its paths, methods and query parameters. */
export const routes: readonly Route[] = endpoints.map(routeOf);

function routeOf(endpoint: Endpoint): Route {
  const { api, only, also = [], params = [], without = [] } = endpoint;
  const described = (table as RequestTable)[api]!;
  const known = described.params.filter((name) => !without.includes(name));
  return {
    ...endpoint,
    requests: only ?? [...described.requests, ...also],
    params: [
      ...known,
      // Every release takes it wherever wildcards can be expanded, although the description leaves it out.
      ...(known.includes('expand_wildcards') ? ['ignore_throttled'] : []),
      ...(api.startsWith('cat.') ? catParams : []),
      ...params,
    ],
  };
}

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
