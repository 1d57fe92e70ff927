import { notFound } from './answers.ts';
import type { CodeHost } from './code-host.ts';
import type { AppInstallation, Credential, PlatformRunner } from './model.ts';

/** One request as a route sees it. */
export interface RouteCall {
  readonly host: CodeHost;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  /** Undefined on routes that authenticate by an app's JWT or a registration token. */
  readonly credential: Credential | undefined;
}

export interface RouteAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** Items of a list, for the Link header. */
  readonly total?: number;
}

export interface Route {
  readonly method: string;
  readonly path: string;
  /**
   * `runners`: the credential must be allowed to manage runners. `app`: an app's JWT. `registration`: a registration
   * token. `any`: any valid credential.
   */
  readonly access: 'runners' | 'app' | 'registration' | 'any';
  answer(call: RouteCall): RouteAnswer;
}

/** docs.github.com, REST API endpoints for self-hosted runners, runner groups, organisations, apps and rate limit. */
export const routes: readonly Route[] = [
  { method: 'POST', path: '/actions/runner-registration', access: 'registration', answer: registerRunner },
  {
    method: 'GET',
    path: '/orgs/{org}/actions/runners',
    access: 'runners',
    answer: (call) => listRunners(call, () => true),
  },
  {
    method: 'GET',
    path: '/orgs/{org}/actions/runners/{runner_id}',
    access: 'runners',
    answer: ({ host, params }) => ({ status: 200, body: present(host, host.registry.find(Number(params.runner_id))) }),
  },
  { method: 'DELETE', path: '/orgs/{org}/actions/runners/{runner_id}', access: 'runners', answer: removeRunner },
  {
    method: 'POST',
    path: '/orgs/{org}/actions/runners/registration-token',
    access: 'runners',
    answer: ({ host }) => token(host, 'registration'),
  },
  {
    method: 'POST',
    path: '/orgs/{org}/actions/runners/remove-token',
    access: 'runners',
    answer: ({ host }) => token(host, 'remove'),
  },
  { method: 'GET', path: '/orgs/{org}/actions/runner-groups', access: 'runners', answer: listGroups },
  {
    method: 'GET',
    path: '/orgs/{org}/actions/runner-groups/{group_id}/runners',
    access: 'runners',
    answer: (call) => listRunners(call, (runner) => runner.groupId === Number(call.params.group_id)),
  },
  { method: 'GET', path: '/orgs/{org}/installations', access: 'any', answer: listInstallations },
  { method: 'GET', path: '/orgs/{org}/installation', access: 'app', answer: ownInstallation },
  {
    method: 'POST',
    path: '/app/installations/{installation_id}/access_tokens',
    access: 'app',
    answer: mintInstallationToken,
  },
  { method: 'GET', path: '/rate_limit', access: 'any', answer: ({ host, credential }) => rateLimit(host, credential!) },
];

/** What the runner's own `config.sh` asks; not part of the documented API, so its body is ours. */
function registerRunner({ host, authorization, body }: RouteCall): RouteAnswer {
  const token = /^RemoteAuth (\S+)$/.exec(authorization ?? '')?.[1] ?? '';
  const {
    name,
    labels,
    runner_group: group,
    replace,
  } = body as { name: string; labels?: string[]; runner_group?: string; replace?: boolean };
  const groupId = group === undefined ? 1 : host.groups.get(group);
  if (groupId === undefined) throw notFound();
  const runner = host.registry.register({ token, name, labels: labels ?? [], groupId, replace: replace === true });
  return { status: 201, body: { id: runner.id, name: runner.name } };
}

function listRunners({ host, query }: RouteCall, belongs: (runner: PlatformRunner) => boolean): RouteAnswer {
  const name = query.get('name');
  const matching = host.registry.runners.filter((runner) => belongs(runner) && (name === null || runner.name === name));
  const { from, to } = pageOf(query);
  const runners = matching.slice(from, to).map((runner) => present(host, runner));
  return { status: 200, body: { total_count: matching.length, runners }, total: matching.length };
}

/** 30 a page unless asked for up to 100. */
export function pageOf(query: URLSearchParams): {
  readonly from: number;
  readonly to: number;
  readonly page: number;
  readonly perPage: number;
} {
  const asked = Number(query.get('per_page') ?? 30);
  const perPage = Math.min(100, Number.isInteger(asked) && asked > 0 ? asked : 30);
  const page = Math.max(1, Math.trunc(Number(query.get('page') ?? 1)) || 1);
  return { from: (page - 1) * perPage, to: page * perPage, page, perPage };
}

function present(host: CodeHost, runner: PlatformRunner) {
  return {
    id: runner.id,
    runner_group_id: runner.groupId,
    name: runner.name,
    os: runner.os,
    status: host.registry.isOnline(runner) ? 'online' : 'offline',
    busy: host.registry.reportedBusy(runner),
    labels: runner.labels.map((name, index) => ({ id: index + 1, name, type: index < 3 ? 'read-only' : 'custom' })),
  };
}

function removeRunner({ host, params }: RouteCall): RouteAnswer {
  host.registry.remove(Number(params.runner_id));
  return { status: 204 };
}

function token(host: CodeHost, kind: 'registration' | 'remove'): RouteAnswer {
  const { token: value, expiresAt } = host.registry.mintToken(kind);
  return { status: 201, body: { token: value, expires_at: new Date(expiresAt).toISOString() } };
}

function listGroups({ host }: RouteCall): RouteAnswer {
  const groups = [...host.groups].map(([name, id]) => ({
    id,
    name,
    visibility: 'all',
    default: id === 1,
    runners_url: `${host.apiUrl}/orgs/${host.org}/actions/runner-groups/${id}/runners`,
    inherited: false,
    allows_public_repositories: false,
    restricted_to_workflows: false,
    selected_workflows: [],
    workflow_restrictions_read_only: false,
  }));
  return { status: 200, body: { total_count: groups.length, runner_groups: groups }, total: groups.length };
}

function listInstallations({ host }: RouteCall): RouteAnswer {
  const installations = host.credentials.installations.filter(({ org }) => org === host.org);
  return {
    status: 200,
    body: {
      total_count: installations.length,
      installations: installations.map((one) => presentInstallation(host, one)),
    },
    total: installations.length,
  };
}

function ownInstallation({ host, authorization }: RouteCall): RouteAnswer {
  const installation = host.credentials.authenticateApp(authorization).find(({ org }) => org === host.org);
  if (installation === undefined) throw notFound();
  return { status: 200, body: presentInstallation(host, installation) };
}

function mintInstallationToken({ host, authorization, params }: RouteCall): RouteAnswer {
  const own = host.credentials.authenticateApp(authorization);
  const installation = own.find(({ id }) => id === Number(params.installation_id));
  if (installation === undefined) throw notFound();
  const { token: value, expiresAt } = host.credentials.mint(installation);
  const permissions = installation.mayManageRunners
    ? { organization_self_hosted_runners: 'write' }
    : { metadata: 'read' };
  return {
    status: 201,
    body: {
      token: value,
      expires_at: `${new Date(expiresAt).toISOString().slice(0, 19)}Z`,
      permissions,
      repository_selection: 'all',
    },
  };
}

function presentInstallation(host: CodeHost, installation: AppInstallation) {
  const created = new Date(host.foundedAt).toISOString();
  return {
    id: installation.id,
    app_id: installation.appId,
    app_slug: installation.appSlug,
    account: account(host),
    repository_selection: 'all',
    access_tokens_url: `${host.apiUrl}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${host.apiUrl}/installation/repositories`,
    html_url: `${host.webUrl}/organizations/${host.org}/settings/installations/${installation.id}`,
    target_id: 1,
    target_type: 'Organization',
    permissions: installation.mayManageRunners ? { organization_self_hosted_runners: 'write' } : { metadata: 'read' },
    events: [],
    created_at: created,
    updated_at: created,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: null,
    suspended_at: null,
  };
}

function account(host: CodeHost) {
  const api = `${host.apiUrl}/users/${host.org}`;
  const links = [
    'followers',
    'following{/other_user}',
    'gists{/gist_id}',
    'starred{/owner}{/repo}',
    'subscriptions',
    'orgs',
    'repos',
    'events{/privacy}',
    'received_events',
  ];
  const urls = Object.fromEntries(links.map((link) => [`${link.replace(/\{.*/, '')}_url`, `${api}/${link}`]));
  const common = {
    login: host.org,
    id: 1,
    node_id: 'O_1',
    avatar_url: `${host.webUrl}/avatars/1`,
    gravatar_id: '',
    url: api,
    html_url: `${host.webUrl}/${host.org}`,
  };
  return { ...common, ...urls, organizations_url: `${api}/orgs`, type: 'Organization', site_admin: false };
}

function rateLimit(host: CodeHost, credential: Credential): RouteAnswer {
  const core = host.limits.status(credential.account);
  const unused = (limit: number) => ({ limit, used: 0, remaining: limit, reset: core.reset });
  return {
    status: 200,
    body: {
      resources: { core, search: unused(30), graphql: unused(5000), actions_runner_registration: unused(10_000) },
      rate: core,
    },
  };
}
