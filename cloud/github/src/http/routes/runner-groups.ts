import { notModelled } from '../responses.ts';
import { atEveryLevel } from './levels.ts';
import { pagedJson, type Route, type RouteAnswer, type RouteCall } from './route.ts';

const docs = 'rest/actions/self-hosted-runner-groups';

/** docs.github.com, "REST API endpoints for self-hosted runner groups". */
export const runnerGroupRoutes: readonly Route[] = atEveryLevel({
  method: 'GET',
  path: '/orgs/{org}/actions/runner-groups',
  docs: `${docs}#list-self-hosted-runner-groups-for-an-organization`,
  access: 'runners',
  resource: 'core',
  answer: runnerGroups,
});

export function runnerGroups(call: RouteCall): RouteAnswer {
  const { host, query } = call;
  if (query.has('visible_to_repository')) throw notModelled('visible_to_repository of runner groups');
  const groups = [...host.groups].map(([name, id]) => ({ id, name }));
  return pagedJson(query, groups, (items) => ({
    total_count: groups.length,
    runner_groups: items.map((group) => present(call, group)),
  }));
}

function present({ host, params }: RouteCall, { id, name }: { readonly id: number; readonly name: string }) {
  const enterprise = params.enterprise !== undefined;
  const level = enterprise ? `enterprises/${host.enterpriseName}` : `orgs/${host.org}`;
  const url = `${host.apiUrl}/${level}/actions/runner-groups/${id}`;
  return {
    id,
    name,
    visibility: 'all',
    default: id === 1,
    runners_url: `${url}/runners`,
    // An Enterprise Server has no hosted runners.
    ...(host.enterprise ? {} : { hosted_runners_url: `${url}/hosted-runners` }),
    ...(enterprise ? {} : { inherited: false }),
    allows_public_repositories: false,
    restricted_to_workflows: false,
    selected_workflows: [],
    workflow_restrictions_read_only: false,
  };
}
