import { presentLabels } from '../../runners/runner-pages.ts';
import { GitHubError } from '../responses.ts';
import { atEveryLevel, levelIn, runnerIn } from './levels.ts';
import { json, numberIn, pageOf, type Route, type RouteAnswer, type RouteCall } from './route.ts';

const docs = 'rest/actions/self-hosted-runners';

/** docs.github.com, "REST API endpoints for self-hosted runners". */
export const runnerRoutes: readonly Route[] = (
  [
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
      answer: (call) => ({
        status: 200,
        text: call.host.pages.one(runnerIn(call, numberIn(call.params, 'runner_id'))),
      }),
    },
    {
      method: 'DELETE',
      path: '/orgs/{org}/actions/runners/{runner_id}',
      docs: `${docs}#delete-a-self-hosted-runner-from-an-organization`,
      access: 'runners',
      resource: 'core',
      answer: (call) => {
        call.host.registry.remove(runnerIn(call, numberIn(call.params, 'runner_id')).id, call.requester);
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
  ] satisfies readonly Route[]
).flatMap(atEveryLevel);

export function listRunners(call: RouteCall): RouteAnswer {
  const name = call.query.get('name');
  if (name === null) return listPage(call, undefined);
  const named = call.host.registry.index.named(name);
  const found = named?.level === levelIn(call) ? named : undefined;
  const { page, perPage } = pageOf(call.query);
  const { text, tag, total } = call.host.pages.list(found === undefined ? [] : [found]);
  return { status: 200, text, tag, list: { total, page, perPage } };
}

function listPage(call: RouteCall, groupId: number | undefined): RouteAnswer {
  const { page, perPage } = pageOf(call.query);
  const { text, tag, total } = call.host.pages.page({ level: levelIn(call), groupId, page, perPage });
  return { status: 200, text, tag, list: { total, page, perPage } };
}

/** "You can pass an empty array to remove all custom labels"; at most 100, which the API's description says. */
function setLabels(call: RouteCall): RouteAnswer {
  const { labels } = call.body;
  if (!Array.isArray(labels) || labels.length > 100)
    throw new GitHubError(422, 'Invalid request.\n\n"labels" wasn\'t supplied.');
  const runner = call.host.registry.setLabels(
    runnerIn(call, numberIn(call.params, 'runner_id')).id,
    labels.map(String),
  );
  return json(200, { total_count: runner.labels.length, labels: presentLabels(runner) });
}
