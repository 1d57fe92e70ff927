import type { RegistrationTokenKind } from '../../credentials/registration-tokens.ts';
import { notFound } from '../responses.ts';
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
    answer: connect,
  },
];

function mint(call: RouteCall, kind: RegistrationTokenKind): RouteAnswer {
  const { token, expiresAt } = call.host.registry.mintToken(kind, call.caller.account, levelIn(call));
  return json(201, { token, expires_at: new Date(expiresAt).toISOString() });
}

/**
 * `POST /actions/runner-registration` is not part of the documented API. `config.sh` and clients of scale sets ask it (actions/runner,
 * ConfigurationManager.cs; actions/scaleset, client.go); a bad token is a 404 (actions/runner issues 1748 and 1339).
 */
function connect({ host, site, body, caller }: RouteCall): RouteAnswer {
  if (caller.kind !== 'registration') throw notFound();
  const level = host.registry.levelOf(caller.token);
  if (!isPageOf(String(body.url), level)) throw notFound();
  const address = new URL(site === host.webUrl ? host.apiUrl : site).host;
  const connection = host.scaleSetService.connect(level, address);
  return json(200, { ...connection, token_schema: 'OAuthAccessToken', use_v2_flow: true });
}

/** The address must be the one that the token was made for. */
const isPageOf = (url: string, level: string): boolean =>
  new URL(url).pathname.replace(/^\/|\/$/g, '').toLowerCase() === level.toLowerCase();
