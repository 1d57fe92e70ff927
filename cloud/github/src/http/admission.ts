import type { PresentedCredential } from '../credentials/credentials.ts';
import { anonymousAccount } from '../limits/rate-limits.ts';
import type { AppInstallation } from '../model.ts';
import type { ApiHost } from './api-host.ts';
import { isClassic } from './presentation.ts';
import { GitHubError, notFound } from './responses.ts';
import type { Caller, Route } from './routes/route.ts';
import type { FoundRoute } from './routes/routes.ts';

/** Identifies the caller, by the kind of credential that the route takes. */
export function identify(host: ApiHost, route: Route, authorization: string | undefined): Caller {
  if (route.access === 'app') {
    const app = host.credentials.authenticateApp(authorization);
    return { kind: 'app', account: app.account, app };
  }
  if (route.access === 'registration') {
    const token = /^RemoteAuth (\S+)$/.exec(authorization ?? '')?.[1] ?? '';
    return { kind: 'registration', account: registrationAccount(host, token), token };
  }
  if (route.access === 'public' && authorization === undefined) return { kind: 'anonymous', account: anonymousAccount };
  const credential = host.credentials.authenticate(authorization);
  return { kind: 'credential', account: credential.account, credential };
}

/** Whether the caller may ask this now. Limits come first: they are looked at before the request is understood. */
export function admitCaller(
  host: ApiHost,
  { route, params }: FoundRoute,
  caller: Caller,
  method: string,
  limitStatus: 403 | 429,
): void {
  host.secondaryLimits.admit(caller.account, method, limitStatus);
  if (route.resource !== undefined) host.limits.admit(caller.account, route.resource, limitStatus);
  if (caller.kind === 'credential') mayAsk(host, route, params, caller.credential);
  else if (!exists(host, route, params)) throw notFound();
}

/** Another organisation does not exist for a token, so that existing names cannot be guessed ("Troubleshooting the REST API"). */
function mayAsk(
  host: ApiHost,
  route: Route,
  params: Readonly<Record<string, string>>,
  credential: PresentedCredential,
): void {
  const { org, owner, enterprise } = params;
  const ofOrg = org !== undefined || enterprise !== undefined || (owner !== undefined && route.access !== 'public');
  if (ofOrg && !(exists(host, route, params) && sameName(credential.org, host.org))) throw notFound();
  if (route.access === 'runners' && !suffices(credential, route.method)) throw missingRight(credential);
  if ((route.access === 'repository' || route.access === 'enterprise') && !sufficesBeyondOrg(host, route, credential))
    throw missingRight(credential);
  if ((route.access === 'contents' || route.access === 'actions') && !mayRunWorkflows(host, credential))
    throw missingRight(credential);
  if (route.access === 'administration' && !mayReadAdministration(host, credential)) throw missingRight(credential);
}

/** Docs of the routes: for a repository an app needs the permission "Administration"; for an enterprise there is no app. */
const sufficesBeyondOrg = (host: ApiHost, { access, method }: Route, credential: PresentedCredential): boolean =>
  access === 'enterprise'
    ? isClassic(credential) && suffices(credential, method)
    : credential.kind === 'token'
      ? suffices(credential, method)
      : installationOf(host, credential)?.mayAdministerRepositories === true;

/** Repositories of other owners are read only: releases of the runner software. */
const exists = (
  host: ApiHost,
  { access }: Route,
  { org, owner, enterprise }: Readonly<Record<string, string>>,
): boolean =>
  (org === undefined || sameName(org, host.org)) &&
  (owner === undefined || access === 'public' || sameName(owner, host.org)) &&
  (enterprise === undefined || sameName(enterprise, host.enterpriseName));

const suffices = ({ mayManageRunners }: PresentedCredential, method: string) =>
  mayManageRunners === 'read' ? method === 'GET' : mayManageRunners;

function mayReadAdministration(host: ApiHost, credential: PresentedCredential): boolean {
  if (credential.kind === 'token') return credential.mayManageRunners !== false;
  return installationOf(host, credential)?.mayReadAdministration === true;
}

/** docs.github.com, "Permissions required for GitHub Apps": Contents and Workflows for files, Actions for runs. */
const mayRunWorkflows = (host: ApiHost, credential: PresentedCredential): boolean =>
  credential.kind === 'token'
    ? credential.mayManageRunners === true
    : installationOf(host, credential)?.mayRunWorkflows === true;

const installationOf = (host: ApiHost, { account }: PresentedCredential): AppInstallation | undefined =>
  host.credentials.installations.find(({ id }) => account === `installation ID ${id}`);

/**
 * 403 in each case: the words for a classic token speak of a repository also where an organisation is meant
 * (actions/actions-runner-controller issue 229); the others are in "Troubleshooting the REST API".
 */
function missingRight(credential: PresentedCredential): GitHubError {
  if (credential.kind === 'installation') return new GitHubError(403, 'Resource not accessible by integration');
  if (isClassic(credential)) return new GitHubError(403, 'Must have admin rights to Repository.');
  return new GitHubError(403, 'Resource not accessible by personal access token');
}

const sameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** A registration or a remove token; which of them is needed the registry checks. */
function registrationAccount(host: ApiHost, token: string): string {
  try {
    return host.registry.accountOf(token, 'registration');
  } catch {
    return host.registry.accountOf(token, 'remove');
  }
}
