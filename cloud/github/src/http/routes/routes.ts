import { appRoutes } from './apps.ts';
import { fileRoutes } from './files.ts';
import { rateLimitRoutes } from './rate-limit.ts';
import { releaseRoutes } from './releases.ts';
import type { Route } from './route.ts';
import { runnerAdminRoutes } from './runner-admin.ts';
import { runnerGroupRoutes } from './runner-groups.ts';
import { runnerTokenRoutes } from './runner-tokens.ts';
import { runnerRoutes } from './runners.ts';
import { workflowRoutes } from './workflows.ts';

/** Every route of the API that is modelled. */
export const routes: readonly Route[] = [
  ...runnerRoutes,
  ...runnerTokenRoutes,
  ...runnerGroupRoutes,
  ...appRoutes,
  ...rateLimitRoutes,
  ...releaseRoutes,
  ...fileRoutes,
  ...workflowRoutes,
];

export interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

const compile = (list: readonly Route[]) =>
  list.map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  }));
const compiled = compile(routes);
const compiledAdmin = compile(runnerAdminRoutes);

/** The route of a path within the API. What `config.sh` asks has the paths of others, and a token of its own. */
export function findRoute(method: string, path: string, authorization = ''): FoundRoute | undefined {
  const lists = authorization.startsWith('RemoteAuth ') ? [...compiledAdmin, ...compiled] : compiled;
  for (const { route, pattern } of lists) {
    if (route.method !== method) continue;
    const found = pattern.exec(path);
    if (found !== null) return { route, params: decoded(found.groups ?? {}) };
  }
  return undefined;
}

const decoded = (groups: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decode(value)]));

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
