import { publicKeyIn } from '../../actions-service/runner-keys.ts';
import { GitHubError, notFound } from '../responses.ts';
import { runnerIn } from './levels.ts';
import { json, numberIn, type Route, type RouteAnswer, type RouteCall } from './route.ts';
import { runnerGroups } from './runner-groups.ts';
import { listRunners } from './runners.ts';

const levels = ['/orgs/{org}', '/repos/{owner}/{repo}', '/enterprises/{enterprise}'];

const route = (method: Route['method'], path: string, answer: Route['answer']): Route => ({
  method,
  path,
  docs: 'rest',
  access: 'registration',
  resource: undefined,
  answer,
});

/** The requests of `config.sh` with `RemoteAuth <token>` after its token was found good (actions/runner, RunnerDotcomServer.cs). */
export const runnerAdminRoutes: readonly Route[] = [
  ...levels.flatMap((level) => [
    route('GET', `${level}/actions/runner-groups`, runnerGroups),
    route('GET', `${level}/actions/runners`, listRunners),
    route('DELETE', `${level}/actions/runners/{runner_id}`, unregister),
  ]),
  route('POST', '/actions/runners/register', register),
];

function register({ host, body, caller, api }: RouteCall): RouteAnswer {
  if (caller.kind !== 'registration') throw notFound();
  const { name, labels, group_id: groupId, replace, ephemeral, version, public_key: key } = body;
  if (typeof name !== 'string' || name === '') throw new GitHubError(422, 'Invalid request.\n\n"name" is missing.');
  const given = Array.isArray(labels) ? (labels as readonly { readonly name: string; readonly type: string }[]) : [];
  const publicKey = publicKeyIn(String(key));
  const runner = host.registry.register({
    token: caller.token,
    name,
    labels: given.filter(({ type }) => type !== 'system').map((label) => label.name),
    noDefaultLabels: !given.some(({ type }) => type === 'system'),
    groupId: groupId === undefined ? 1 : host.groupWithId(Number(groupId)).id,
    replace: replace === true,
    ephemeral: ephemeral === true,
    ...(version === undefined ? {} : { version: String(version) }),
    ...(publicKey === undefined ? {} : { publicKey }),
  });
  return json(200, {
    id: runner.id,
    name: runner.name,
    authorization: {
      authorization_url: `${api}/actions/oauth2/token/${runner.clientId}`,
      server_url: `${api}/actions/broker/`,
      client_id: runner.clientId,
    },
  });
}

function unregister(call: RouteCall): RouteAnswer {
  const { host, caller, params, requester } = call;
  if (caller.kind !== 'registration') throw notFound();
  host.registry.unregister(caller.token, runnerIn(call, numberIn(params, 'runner_id')).id, requester);
  return { status: 204, text: '' };
}
