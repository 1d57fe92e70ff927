import { presentLabels } from '../../runners/runner-pages.ts';
import { GitHubError } from '../responses.ts';
import { json, numberIn, pageOf, type Route, type RouteAnswer, type RouteCall } from './route.ts';

const docs = 'rest/actions/self-hosted-runners';

/** docs.github.com, "REST API endpoints for self-hosted runners". */
export const runnerRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/orgs/{org}/actions/runners',
    docs: `${docs}#list-self-hosted-runners-for-an-organization`,
    access: 'runners',
    resource: 'core',
    answer: listRunners,
  },
  {
    method: 'GET',
    path: '/orgs/{org}/actions/runners/{runner_id}',
    docs: `${docs}#get-a-self-hosted-runner-for-an-organization`,
    access: 'runners',
    resource: 'core',
    answer: ({ host, params }) => ({
      status: 200,
      text: host.pages.one(host.registry.find(numberIn(params, 'runner_id'))),
    }),
  },
  {
    method: 'DELETE',
    path: '/orgs/{org}/actions/runners/{runner_id}',
    docs: `${docs}#delete-a-self-hosted-runner-from-an-organization`,
    access: 'runners',
    resource: 'core',
    answer: ({ host, params, requester }) => {
      host.registry.remove(numberIn(params, 'runner_id'), requester);
      return { status: 204, text: '' };
    },
  },
  {
    method: 'PUT',
    path: '/orgs/{org}/actions/runners/{runner_id}/labels',
    docs: `${docs}#set-custom-labels-for-a-self-hosted-runner-for-an-organization`,
    access: 'runners',
    resource: 'core',
    answer: setLabels,
  },
  {
    method: 'GET',
    path: '/orgs/{org}/actions/runner-groups/{runner_group_id}/runners',
    docs: 'rest/actions/self-hosted-runner-groups#list-self-hosted-runners-in-a-group-for-an-organization',
    access: 'runners',
    resource: 'core',
    answer: (call) => listPage(call, call.host.groupWithId(numberIn(call.params, 'runner_group_id')).id),
  },
];

function listRunners(call: RouteCall): RouteAnswer {
  const name = call.query.get('name');
  if (name === null) return listPage(call, undefined);
  const found = call.host.registry.index.named(name);
  const { page, perPage } = pageOf(call.query);
  const { text, tag, total } = call.host.pages.list(found === undefined ? [] : [found]);
  return { status: 200, text, tag, list: { total, page, perPage } };
}

function listPage({ host, query }: RouteCall, groupId: number | undefined): RouteAnswer {
  const { page, perPage } = pageOf(query);
  const { text, tag, total } = host.pages.page({ groupId, page, perPage });
  return { status: 200, text, tag, list: { total, page, perPage } };
}

/** "You can pass an empty array to remove all custom labels"; at most 100, which the API's description says. */
function setLabels({ host, params, body }: RouteCall): RouteAnswer {
  const { labels } = body;
  if (!Array.isArray(labels) || labels.length > 100)
    throw new GitHubError(422, 'Invalid request.\n\n"labels" wasn\'t supplied.');
  const runner = host.registry.setLabels(numberIn(params, 'runner_id'), labels.map(String));
  return json(200, { total_count: runner.labels.length, labels: presentLabels(runner) });
}
