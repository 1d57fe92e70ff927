import { createHash } from 'node:crypto';
import type { HttpRequest, HttpResponse } from '@drover/cloud-engine';
import type { PresentedCredential } from '../credentials/credentials.ts';
import { contentTag } from '../runners/runner-pages.ts';
import { textAnswer } from './responses.ts';
import type { Caller, Route, RouteAnswer } from './routes/route.ts';

/** The version of the REST API that is modelled (docs.github.com, "API Versions"). */
export const apiVersion = '2022-11-28';

/** Headers of every response. */
export function commonHeaders(requestId: string, now: number): Record<string, string> {
  return {
    server: 'github.com',
    date: new Date(now).toUTCString(),
    'cache-control': 'private, max-age=60, s-maxage=60',
    vary: 'Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding, Accept, X-Requested-With',
    'x-github-media-type': 'github.v3; format=json',
    'x-github-api-version-selected': apiVersion,
    'x-github-request-id': requestId,
  };
}

/**
 * Rights of the credential, and rights that the route wants: scopes for a classic personal token (docs.github.com,
 * "Scopes for OAuth apps"), permissions for apps and fine-grained tokens ("Troubleshooting the REST API").
 */
export function rightsHeaders(route: Route, caller: Caller | undefined): Record<string, string> {
  if (caller?.kind !== 'credential') return {};
  const { kind, expiresAt } = caller.credential;
  const rights = neededRights(route, caller.credential);
  return kind === 'token' && expiresAt !== undefined ? { [tokenExpiration]: expiryText(expiresAt), ...rights } : rights;
}

/** Of personal tokens that expire, on each response: `2027-10-12 09:00:00 UTC`. GitHub documents the expiry, not the header: its form is what public clients parse. */
const tokenExpiration = 'github-authentication-token-expiration';
const expiryText = (at: number) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

function neededRights(route: Route, credential: PresentedCredential): Record<string, string> {
  if (isClassic(credential))
    return {
      'x-oauth-scopes': scopesOf(credential).join(', '),
      'x-accepted-oauth-scopes': acceptedScopes(route),
    };
  if (route.access === 'administration') return { 'x-accepted-github-permissions': 'organization_administration=read' };
  const level = route.method === 'GET' ? 'read' : 'write';
  if (route.access === 'contents' || route.access === 'actions')
    return { 'x-accepted-github-permissions': `${route.access}=${level}` };
  if (route.access === 'repository') return { 'x-accepted-github-permissions': `administration=${level}` };
  return route.access === 'runners'
    ? { 'x-accepted-github-permissions': `organization_self_hosted_runners=${level}` }
    : {};
}

/** A fine-grained personal token has permissions instead of scopes. */
export const isClassic = ({ kind, token }: PresentedCredential): boolean =>
  kind === 'token' && !token.startsWith('github_pat_');

const scopesOf = ({ mayManageRunners }: PresentedCredential) =>
  mayManageRunners === true ? ['admin:org', 'manage_runners:enterprise', 'repo'] : ['read:org'];

const accepted: Readonly<Partial<Record<Route['access'], string>>> = {
  runners: 'admin:org',
  administration: 'admin:org',
  repository: 'repo',
  contents: 'repo',
  actions: 'repo',
  enterprise: 'manage_runners:enterprise',
};
const acceptedScopes = ({ access }: Route) => accepted[access] ?? '';

/** A success, or 304 with nothing in it when the caller has it already. */
export function present(
  request: HttpRequest,
  answer: RouteAnswer,
  etag: string | undefined,
  headers: Readonly<Record<string, string>>,
): HttpResponse {
  if (etag === undefined) return textAnswer(answer.status, answer.text, headers);
  const status = matches(request.headers['if-none-match'], etag) ? 304 : answer.status;
  return textAnswer(status, answer.text, { ...headers, etag });
}

/**
 * ETags are weak and differ by token: a new installation token makes every one of them void (github/docs issue 34689,
 * eclipse-csi/otterdog issue 201).
 */
export function etagOf(answer: RouteAnswer, token: string): string {
  const tag = answer.tag ?? contentTag(answer.text);
  return `W/"${createHash('sha256').update(token).update(tag).digest('hex')}"`;
}

/** RFC 9110, section 13.1.2: a list of tags, compared weakly. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag));
}

/**
 * Links to the neighbouring pages (docs.github.com, "Using pagination in the REST API"); none when all is on one page.
 * They name the organisation by its number, so callers who build such addresses by hand are found out.
 */
export function linkHeader(url: string, query: URLSearchParams, list: RouteAnswer['list']): Record<string, string> {
  if (list === undefined) return {};
  const last = Math.max(1, Math.ceil(list.total / list.perPage));
  const to = (page: number, rel: string) => {
    const next = new URLSearchParams(query);
    next.set('page', String(page));
    return `<${url}?${next}>; rel="${rel}"`;
  };
  const { page } = list;
  const links = [
    ...(page > 1 ? [to(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [to(page + 1, 'next'), to(last, 'last')] : []),
    ...(page > 1 ? [to(1, 'first')] : []),
  ];
  return links.length === 0 ? {} : { link: links.join(', ') };
}
