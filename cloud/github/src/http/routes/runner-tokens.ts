import type { RegistrationTokenKind } from '../../credentials/registration-tokens.ts';
import { GitHubError, notFound } from '../responses.ts';
import { atEveryLevel, levelIn } from './levels.ts';
import { json, type Route, type RouteAnswer, type RouteCall } from './route.ts';

const docs = 'rest/actions/self-hosted-runners';

/** docs.github.com, "REST API endpoints for self-hosted runners", and what the runner's own `config.sh` asks. */
export const runnerTokenRoutes: readonly Route[] = [
  ...atEveryLevel({
    method: 'POST',
    path: '/orgs/{org}/actions/runners/registration-token',
    docs: `${docs}#create-a-registration-token-for-an-organization`,
    access: 'runners',
    resource: 'core',
    answer: (call) => mint(call, 'registration'),
  }),
  {
    method: 'POST',
    path: '/orgs/{org}/actions/runners/remove-token',
    docs: `${docs}#create-a-remove-token-for-an-organization`,
    access: 'runners',
    resource: 'core',
    answer: (call) => mint(call, 'remove'),
  },
  {
    method: 'POST',
    path: '/actions/runner-registration',
    docs: 'rest',
    access: 'registration',
    resource: 'actions_runner_registration',
    answer: configure,
  },
];

function mint(call: RouteCall, kind: RegistrationTokenKind): RouteAnswer {
  const { token, expiresAt } = call.host.registry.mintToken(kind, call.caller.account, levelIn(call));
  return json(201, { token, expires_at: new Date(expiresAt).toISOString() });
}

/**
 * `POST /actions/runner-registration` is not part of the documented API. That it is asked with `RemoteAuth <token>`, that
 * a bad token is a 404 and what it counts against is known (actions/runner issues 1748 and 1339); its body is ours.
 */
function configure(call: RouteCall): RouteAnswer {
  const { host, body, caller, requester } = call;
  if (caller.kind !== 'registration') throw notFound();
  const {
    name,
    id,
    runner_event: event = 'register',
    runner_group: group,
    labels,
    replace,
    no_default_labels: noDefaultLabels,
    ephemeral,
    version,
  } = body;
  if (event === 'remove') {
    host.registry.unregister(caller.token, Number(id), requester);
    return { status: 204, text: '' };
  }
  if (body.url !== undefined && !isPageOf(String(body.url), host.registry.levelOf(caller.token))) throw notFound();
  if (name === undefined && body.url !== undefined) return connect(call, caller.token);
  if (typeof name !== 'string' || name === '') throw new GitHubError(422, 'Invalid request.\n\n"name" is missing.');
  const groupId = group === undefined ? 1 : host.groups.get(String(group));
  if (groupId === undefined)
    throw new GitHubError(404, `Could not find any self-hosted runner group named "${String(group)}".`);
  const stood = host.registry.index.named(name) !== undefined;
  const runner = host.registry.register({
    token: caller.token,
    name,
    labels: Array.isArray(labels) ? labels.map(String) : [],
    noDefaultLabels: noDefaultLabels === true,
    groupId,
    replace: replace === true,
    ephemeral: ephemeral === true,
    ...(version === undefined ? {} : { version: String(version) }),
  });
  return json(201, { id: runner.id, name: runner.name, client_id: runner.clientId, replaced: stood });
}

/** The address must be the one that the token was made for. */
const isPageOf = (url: string, level: string): boolean =>
  new URL(url).pathname.replace(/^\/|\/$/g, '').toLowerCase() === level.toLowerCase();

/** Clients of scale sets ask this way (actions/scaleset, client.go). */
function connect({ host, site }: RouteCall, token: string): RouteAnswer {
  const level = host.registry.levelOf(token);
  const address = new URL(site === host.webUrl ? host.apiUrl : site).host;
  return json(200, { ...host.scaleSetService.connect(level, address), token_schema: 'OAuthAccessToken' });
}
