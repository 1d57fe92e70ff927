import { createHash } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from '../engine/http.ts';
import { type Network, never, type Origin } from '../engine/network.ts';
import { errorAnswer, json, notFound, PlatformError } from './answers.ts';
import { Credentials } from './credentials.ts';
import type { Credential } from './model.ts';
import { type RateLimitOptions, RateLimits } from './rate-limits.ts';
import { pageOf, type Route, type RouteAnswer, routes } from './routes.ts';
import { RunnerRegistry } from './runner-registry.ts';

export interface CodeHostOptions extends RateLimitOptions {
  readonly org: string;
  /** @default https://api.github.com; an Enterprise Server is https://<host>/api/v3 */
  readonly apiUrl?: string;
}

/** The code hosting platform, as GitHub documents its API: runners, tokens, apps, limits, and a job queue. */
export class CodeHost {
  readonly org: string;
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly foundedAt: number;
  readonly registry: RunnerRegistry;
  readonly credentials: Credentials;
  readonly limits: RateLimits;
  /** Runner groups by name. */
  readonly groups = new Map([['Default', 1]]);
  #engine: Engine;
  #counted = 0;

  constructor(engine: Engine, options: CodeHostOptions) {
    this.#engine = engine;
    this.org = options.org;
    this.apiUrl = options.apiUrl ?? 'https://api.github.com';
    this.webUrl =
      this.apiUrl === 'https://api.github.com' ? 'https://github.com' : this.apiUrl.replace(/\/api\/v3$/, '');
    this.foundedAt = engine.clock.now();
    this.registry = new RunnerRegistry(engine, options.org);
    this.credentials = new Credentials(engine.clock, engine.random.fork('platform'));
    this.limits = new RateLimits(engine.clock, options);
  }

  /** How many requests counted against a limit so far. */
  get countedRequests(): number {
    return this.#counted;
  }

  /** Puts the API on a network under its own name. */
  join(network: Network): void {
    network.register(new URL(this.apiUrl).hostname, (request, origin) => this.answer(request, origin));
  }

  readonly handle: HttpHandler = (request) => this.answer(request, { kind: 'operator', name: 'operator' });

  async answer(request: HttpRequest, origin: Origin): Promise<HttpResponse> {
    const path = this.#pathWithinApi(request.path);
    const found = match(request.method, path);
    const operation = `${request.method} ${found?.route.path ?? path}`;
    const effect = await this.#strike(operation, origin);
    if (effect !== undefined && effect.phase !== 'after') return await this.#carryOut(effect, origin);
    const response = this.#respond(request, found);
    this.#engine.journal.record({
      kind: 'request',
      source: 'platform',
      name: operation,
      subject: origin.name,
      detail: { status: response.status },
    });
    if (effect !== undefined) return await this.#carryOut(effect, origin);
    return response;
  }

  #respond(request: HttpRequest, found: { route: Route; params: Record<string, string> } | undefined): HttpResponse {
    let credential: (Credential & { token: string }) | undefined;
    try {
      if (found === undefined) throw notFound();
      const { authorization } = request.headers;
      if (found.route.access === 'runners' || found.route.access === 'any') {
        credential = this.credentials.authenticate(authorization);
        this.#mayAsk(found.route, found.params, credential);
        if (found.route.path !== '/rate_limit') this.limits.admit(credential.account, request.method);
      }
      const query = new URLSearchParams(request.query);
      const answer = found.route.answer({
        host: this,
        params: found.params,
        query,
        authorization,
        credential,
        body: readBody(request),
      });
      return this.#present(request, answer, query, credential, found.route);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (credential !== undefined && error.status !== 403) this.#count(credential.account);
      const limits = credential === undefined ? {} : this.limits.headers(credential.account);
      return errorAnswer(new PlatformError(error.status, error.message, { ...limits, ...error.headers }));
    }
  }

  /** ETags differ by token; an authorised 304 does not count (docs.github.com, "Best practices for using the REST API"). */
  #present(
    request: HttpRequest,
    answer: RouteAnswer,
    query: URLSearchParams,
    credential: (Credential & { token: string }) | undefined,
    route: Route,
  ): HttpResponse {
    if (credential === undefined) return json(answer.status, answer.body);
    const etag = `W/"${createHash('sha256')
      .update(credential.token)
      .update(JSON.stringify(answer.body ?? null))
      .digest('hex')}"`;
    const unchanged = request.method === 'GET' && request.headers['if-none-match'] === etag;
    if (!unchanged && route.path !== '/rate_limit') this.#count(credential.account);
    const headers = {
      ...this.limits.headers(credential.account),
      ...(request.method === 'GET' ? { etag } : {}),
      ...link(request, query, answer.total),
    };
    return unchanged ? { status: 304, headers, body: '' } : json(answer.status, answer.body, headers);
  }

  #count(account: string): void {
    this.limits.count(account);
    this.#counted += 1;
  }

  /** A token without the scope is told 403, an app without the permission likewise, another organisation does not exist. */
  #mayAsk(route: Route, params: Readonly<Record<string, string>>, credential: Credential): void {
    if (params.org !== undefined && (params.org !== this.org || credential.org !== this.org)) throw notFound();
    if (route.access !== 'runners' || credential.mayManageRunners) return;
    throw new PlatformError(
      403,
      credential.kind === 'installation'
        ? 'Resource not accessible by integration'
        : 'Must have admin rights to Organization.',
    );
  }

  /** An Enterprise Server serves its API below /api/v3. */
  #pathWithinApi(path: string): string {
    const base = new URL(this.apiUrl).pathname.replace(/\/$/, '');
    return base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
  }

  async #strike(operation: string, origin: Origin) {
    const point = { service: 'platform', operation, subject: origin.name };
    const slow = this.#engine.faults.strike(point, ['slow']);
    if (slow !== undefined) await this.#engine.clock.sleep(slow.ms);
    const effect = this.#engine.faults.strike(point, ['error', 'timeout', 'kill', 'throttle']);
    return effect?.kind === 'throttle' ? ({ kind: 'error', status: 429, phase: 'before' } as const) : effect;
  }

  async #carryOut(
    effect: { kind: 'error' | 'timeout' | 'kill'; status?: number },
    origin: Origin,
  ): Promise<HttpResponse> {
    if (effect.kind === 'error') {
      const retry: Record<string, string> = effect.status === 429 ? { 'retry-after': '60' } : {};
      return errorAnswer(new PlatformError(effect.status ?? 502, 'Server Error', retry));
    }
    if (effect.kind === 'kill') origin.process?.kill('injected fault');
    return await never;
  }
}

const compiled = routes.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

function match(method: string, path: string): { route: Route; params: Record<string, string> } | undefined {
  for (const { route, pattern } of compiled) {
    if (route.method !== method) continue;
    const found = pattern.exec(path);
    if (found !== null) return { route, params: { ...found.groups } };
  }
  return undefined;
}

function readBody(request: HttpRequest): Readonly<Record<string, unknown>> {
  if (request.body.length === 0) return {};
  try {
    return JSON.parse(Buffer.from(request.body).toString('utf8')) as Record<string, unknown>;
  } catch {
    throw new PlatformError(400, 'Problems parsing JSON');
  }
}

/** Links to the neighbouring pages, as `rel="next"` and `rel="last"` (docs.github.com, "Using pagination in the REST API"). */
function link(request: HttpRequest, query: URLSearchParams, total: number | undefined): Record<string, string> {
  if (total === undefined) return {};
  const { page, perPage } = pageOf(query);
  const last = Math.max(1, Math.ceil(total / perPage));
  const to = (number: number, rel: string) => {
    const next = new URLSearchParams(query);
    next.set('page', String(number));
    return `<https://${request.host}${request.path}?${next}>; rel="${rel}"`;
  };
  const links = [
    ...(page < last ? [to(page + 1, 'next'), to(last, 'last')] : []),
    ...(page > 1 ? [to(1, 'first'), to(page - 1, 'prev')] : []),
  ];
  return links.length === 0 ? {} : { link: links.join(', ') };
}
