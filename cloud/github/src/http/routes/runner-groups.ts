import type { ApiHost } from '../api-host.ts';
import { notModelled } from '../responses.ts';
import { pagedJson, type Route } from './route.ts';

const docs = 'rest/actions/self-hosted-runner-groups';

/** docs.github.com, "REST API endpoints for self-hosted runner groups". */
export const runnerGroupRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/orgs/{org}/actions/runner-groups',
    docs: `${docs}#list-self-hosted-runner-groups-for-an-organization`,
    access: 'runners',
    resource: 'core',
    answer: ({ host, query }) => {
      if (query.has('visible_to_repository')) throw notModelled('visible_to_repository of runner groups');
      const groups = [...host.groups].map(([name, id]) => ({ id, name }));
      return pagedJson(query, groups, (items) => ({
        total_count: groups.length,
        runner_groups: items.map((group) => present(host, group)),
      }));
    },
  },
];

function present(host: ApiHost, { id, name }: { readonly id: number; readonly name: string }) {
  const url = `${host.apiUrl}/orgs/${host.org}/actions/runner-groups/${id}`;
  return {
    id,
    name,
    visibility: 'all',
    default: id === 1,
    runners_url: `${url}/runners`,
    // An Enterprise Server has no hosted runners.
    ...(host.enterprise ? {} : { hosted_runners_url: `${url}/hosted-runners` }),
    inherited: false,
    allows_public_repositories: false,
    restricted_to_workflows: false,
    selected_workflows: [],
    workflow_restrictions_read_only: false,
  };
}
