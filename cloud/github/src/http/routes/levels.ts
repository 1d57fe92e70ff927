import { notFound } from '../responses.ts';
import type { Route, RouteCall } from './route.ts';

/** A route of an organisation as it is for its repositories and for its enterprise, with their own pages of documentation. */
export function atEveryLevel(route: Route): readonly Route[] {
  const moved = (path: string, word: string, access: Route['access'], docs: string): Route => ({
    ...route,
    path: route.path.replace('/orgs/{org}', path),
    docs: docs.replace(/an-organization$/, word),
    access,
  });
  // Repositories have no runner groups.
  const grouped = route.path.includes('/runner-groups');
  return [
    route,
    ...(grouped ? [] : [moved('/repos/{owner}/{repo}', 'a-repository', 'repository', route.docs)]),
    moved('/enterprises/{enterprise}', 'an-enterprise', 'enterprise', `enterprise-cloud@latest/${route.docs}`),
  ];
}

/** Where the runners of a request belong: an organisation, `owner/repository`, or `enterprises/name`. */
export function levelIn({ host, params }: Pick<RouteCall, 'host' | 'params'>): string {
  if (params.enterprise !== undefined) return `enterprises/${host.enterpriseName}`;
  return params.repo === undefined ? host.org : `${host.org}/${params.repo}`;
}

/** The runner of a request, which must belong to the level that is asked. */
export function runnerIn(call: RouteCall, id: number) {
  const runner = call.host.registry.find(id);
  if (runner.level.toLowerCase() !== levelIn(call).toLowerCase()) throw notFound();
  return runner;
}
