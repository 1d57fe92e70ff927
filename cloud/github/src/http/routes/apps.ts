import type { PresentedApp } from '../../credentials/credentials.ts';
import type { AppInstallation } from '../../model.ts';
import type { ApiHost } from '../api-host.ts';
import { notFound } from '../responses.ts';
import { json, numberIn, pagedJson, type Route, type RouteAnswer, type RouteCall, timestamp } from './route.ts';

const docs = 'rest/apps/apps';

/** docs.github.com, "REST API endpoints for GitHub Apps" and "REST API endpoints for organizations". */
export const appRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/orgs/{org}/installations',
    docs: 'rest/orgs/orgs#list-app-installations-for-an-organization',
    access: 'administration',
    resource: 'core',
    answer: ({ host, query }) => {
      const all = host.credentials.installations.filter(({ org }) => org === host.org);
      return pagedJson(query, all, (items) => ({
        total_count: all.length,
        installations: items.map((installation) => present(host, installation)),
      }));
    },
  },
  {
    method: 'GET',
    path: '/orgs/{org}/installation',
    docs: `${docs}#get-an-organization-installation-for-the-authenticated-app`,
    access: 'app',
    resource: 'core',
    answer: (call) => installationOf(call, call.params.org),
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/installation',
    docs: `${docs}#get-a-repository-installation-for-the-authenticated-app`,
    access: 'app',
    resource: 'core',
    answer: (call) => installationOf(call, call.params.owner),
  },
  {
    method: 'GET',
    path: '/app/installations',
    docs: `${docs}#list-installations-for-the-authenticated-app`,
    access: 'app',
    resource: 'core',
    answer: (call) =>
      pagedJson(call.query, ownInstallations(call), (items) =>
        items.map((installation) => present(call.host, installation)),
      ),
  },
  {
    method: 'POST',
    path: '/app/installations/{installation_id}/access_tokens',
    docs: `${docs}#create-an-installation-access-token-for-an-app`,
    access: 'app',
    resource: 'core',
    answer: (call) => {
      const { host, params } = call;
      const { token, expiresAt, installation } = host.credentials.mint(
        appOf(call),
        numberIn(params, 'installation_id'),
      );
      return json(201, {
        token,
        expires_at: timestamp(expiresAt),
        permissions: permissionsOf(installation),
        repository_selection: 'all',
      });
    },
  },
];

function installationOf(call: RouteCall, account: string | undefined): RouteAnswer {
  const installation = ownInstallations(call).find(({ org }) => org === account);
  if (installation === undefined) throw notFound();
  return json(200, present(call.host, installation));
}

const ownInstallations = (call: RouteCall) => call.host.credentials.installationsOf(appOf(call));

function appOf({ caller }: RouteCall): PresentedApp {
  if (caller.kind !== 'app') throw notFound();
  return caller.app;
}

function permissionsOf({
  mayManageRunners,
  mayReadAdministration,
  mayAdministerRepositories,
}: AppInstallation): Record<string, string> {
  return {
    metadata: 'read',
    ...(mayManageRunners === false
      ? {}
      : { organization_self_hosted_runners: mayManageRunners === 'read' ? 'read' : 'write' }),
    ...(mayAdministerRepositories === true ? { administration: 'write' } : {}),
    ...(mayReadAdministration === true ? { organization_administration: 'read' } : {}),
  };
}

function present(host: ApiHost, installation: AppInstallation) {
  const { id, appId, appSlug, org } = installation;
  const created = timestamp(host.foundedAt);
  const suspendedAt = host.credentials.suspendedAt(id);
  return {
    id,
    client_id: `Iv1.${String(appId).padStart(16, '0')}`,
    app_id: appId,
    app_slug: appSlug,
    account: account(host, org, 'Organization'),
    repository_selection: 'all',
    access_tokens_url: `${host.apiUrl}/app/installations/${id}/access_tokens`,
    repositories_url: `${host.apiUrl}/installation/repositories`,
    html_url: `${host.webUrl}/organizations/${org}/settings/installations/${id}`,
    target_id: host.orgId,
    target_type: 'Organization',
    permissions: permissionsOf(installation),
    events: [],
    created_at: created,
    updated_at: created,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: suspendedAt === undefined ? null : account(host, 'owner', 'User'),
    suspended_at: suspendedAt === undefined ? null : timestamp(suspendedAt),
  };
}

const accountLinks = [
  'followers',
  'following{/other_user}',
  'gists{/gist_id}',
  'starred{/owner}{/repo}',
  'subscriptions',
  'repos',
  'events{/privacy}',
  'received_events',
];

/** A user or an organisation as the API shows it. */
export function account(host: ApiHost, login: string, type: 'Organization' | 'User') {
  const url = `${host.apiUrl}/users/${login}`;
  const links = accountLinks.map((link) => [`${link.replace(/\{.*/, '')}_url`, `${url}/${link}`] as const);
  return {
    login,
    id: type === 'Organization' ? host.orgId : 1,
    node_id: type === 'Organization' ? 'O_kgDOAAAAAQ' : 'U_kgDOAAAAAQ',
    avatar_url: `${host.webUrl}/avatars/${login}`,
    gravatar_id: '',
    url,
    html_url: `${host.webUrl}/${login}`,
    ...Object.fromEntries(links),
    organizations_url: `${url}/orgs`,
    type,
    user_view_type: 'public',
    site_admin: false,
  };
}
