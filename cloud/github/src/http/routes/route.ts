import type { PresentedApp, PresentedCredential } from '../../credentials/credentials.ts';
import type { LimitResource } from '../../limits/rate-limits.ts';
import type { Requester } from '../../model.ts';
import type { ApiHost } from '../api-host.ts';

/** One request as a route sees it. */
export interface RouteCall {
  readonly host: ApiHost;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  readonly requester: Requester;
  /** Address of the web site, as the caller reaches it. */
  readonly site: string;
  /** Address of the API, as the caller reaches it. */
  readonly api: string;
}

/** The caller, by what the route's access lets in. */
export type Caller =
  | { readonly kind: 'credential'; readonly account: string; readonly credential: PresentedCredential }
  | { readonly kind: 'app'; readonly account: string; readonly app: PresentedApp }
  | { readonly kind: 'registration'; readonly account: string; readonly token: string }
  | { readonly kind: 'anonymous'; readonly account: string };

export interface RouteAnswer {
  readonly status: number;
  /** The body as JSON text; empty for 204. */
  readonly text: string;
  /** Equal exactly when the text is; computed from it when absent. */
  readonly tag?: string;
  /** Of a list, for the Link header. */
  readonly list?: { readonly total: number; readonly page: number; readonly perPage: number };
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Its page below docs.github.com. */
  readonly docs: string;
  /**
   * `runners`: the credential must be allowed to manage runners. `repository`: an app must administer repositories.
   * `enterprise`: a classic personal token. `administration`: an owner's token, or an app with that permission.
   * `contents`, `actions`: files and runs of a repository, which an app must be allowed to write.
   * `app`: an app's JWT. `public`: also without a credential. `registration` and `any`: see their routes.
   */
  readonly access:
    | 'runners'
    | 'repository'
    | 'enterprise'
    | 'administration'
    | 'contents'
    | 'actions'
    | 'app'
    | 'registration'
    | 'public'
    | 'any';
  /** The limit that a request counts against, if any. */
  readonly resource: LimitResource | undefined;
  answer(call: RouteCall): RouteAnswer;
}

export const json = (status: number, body: unknown): RouteAnswer => ({ status, text: JSON.stringify(body) });

/** docs.github.com, "Using pagination in the REST API": 30 a page unless asked for up to 100. */
export function pageOf(query: URLSearchParams): { readonly page: number; readonly perPage: number } {
  const asked = Number(query.get('per_page') ?? 30);
  const perPage = Math.min(100, Number.isInteger(asked) && asked > 0 ? asked : 30);
  const page = Math.max(1, Math.trunc(Number(query.get('page') ?? 1)) || 1);
  return { page, perPage };
}

/** A page of a short list, wrapped as `wrap` says. */
export function pagedJson<T>(
  query: URLSearchParams,
  all: readonly T[],
  wrap: (items: readonly T[]) => unknown,
): RouteAnswer {
  const { page, perPage } = pageOf(query);
  const items = all.slice((page - 1) * perPage, page * perPage);
  return { ...json(200, wrap(items)), list: { total: all.length, page, perPage } };
}

/** Of a path parameter that is a number; anything else matches nothing on GitHub. */
export const numberIn = (params: Readonly<Record<string, string>>, name: string): number =>
  /^\d+$/.test(params[name] ?? '') ? Number(params[name]) : Number.NaN;

/** As the API writes moments: seconds, no fraction. */
export const timestamp = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
