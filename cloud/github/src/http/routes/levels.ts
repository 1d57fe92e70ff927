import type { RunnerRecord } from '../../model.ts';
import type { ApiHost } from '../api-host.ts';
import { notFound } from '../responses.ts';
import { numberIn, type Route, type RouteCall } from './route.ts';

const variants = {
  repository: { prefix: '/repos/{owner}/{repo}', anchor: 'a-repository' },
  enterprise: { prefix: '/enterprises/{enterprise}', anchor: 'an-enterprise' },
} as const;

/** The routes of an organisation's runners, and the same for a repository and an enterprise. */
export const alsoAt = (levels: readonly (keyof typeof variants)[], routes: readonly Route[]): readonly Route[] => [
  ...routes,
  ...levels.flatMap((level) =>
    routes.map((route) => ({
      ...route,
      path: route.path.replace('/orgs/{org}', variants[level].prefix),
      docs: route.docs.replace('an-organization', variants[level].anchor),
      access: route.access === 'runners' ? level : route.access,
    })),
  ),
];

/** Whose runners a request speaks of, by its path. */
export function levelIn({
  host,
  params,
}: { host: Pick<ApiHost, 'org' | 'enterpriseName'> } & Pick<RouteCall, 'params'>): string {
  if (params.repo !== undefined) return `${host.org}/${params.repo}`;
  return params.enterprise === undefined ? host.org : `enterprises/${host.enterpriseName}`;
}

/** The runner of the path; one of another level does not exist there. */
export function runnerIn(call: RouteCall): RunnerRecord {
  const runner = call.host.registry.find(numberIn(call.params, 'runner_id'));
  if (runner.level !== levelIn(call)) throw notFound();
  return runner;
}
