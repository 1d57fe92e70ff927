import type { Engine, HttpHandler, HttpRequest, HttpResponse, Network, Origin } from '@drover/cloud-engine';
import { noteAsked } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { ActionsService } from './actions-service/actions-service.ts';
import { Credentials } from './credentials/credentials.ts';
import { admitCaller, identify } from './http/admission.ts';
import type { ApiHost } from './http/api-host.ts';
import { commonHeaders, etagOf, linkHeader, present, rightsHeaders } from './http/presentation.ts';
import { checkRequest, readBody, webPage } from './http/request-checks.ts';
import { failRequest, strikeRequest } from './http/request-faults.ts';
import { errorBody, GitHubError, notFound, notModelled, textAnswer } from './http/responses.ts';
import type { Caller, RouteAnswer } from './http/routes/route.ts';
import { type FoundRoute, findRoute, routes } from './http/routes/routes.ts';
import { type RateLimitOptions, RateLimits } from './limits/rate-limits.ts';
import { type SecondaryLimitOptions, SecondaryLimits } from './limits/secondary-limits.ts';
import { assetHost } from './releases/runner-releases.ts';
import { RunnerPages } from './runners/runner-pages.ts';
import { RunnerRegistry, type RunnerRegistryOptions } from './runners/runner-registry.ts';
import { ScaleSets } from './scale-sets/scale-sets.ts';
import { type FoundServiceRoute, ScaleSetService } from './scale-sets/service.ts';
import { RepositoryFiles } from './workflows/repository-files.ts';
import { WorkflowRuns } from './workflows/workflow-runs.ts';

export interface CodeHostOptions extends RateLimitOptions, SecondaryLimitOptions, RunnerRegistryOptions {
  readonly org: string;
  /** @default https://api.github.com; an Enterprise Server is https://<host>/api/v3 */
  readonly apiUrl?: string;
  /** The enterprise that the organisation belongs to. @default example-enterprise */
  readonly enterpriseName?: string;
  /** Jobs of scale sets are offered and must be acquired. @default on an Enterprise Server; github.com assigns them by itself */
  readonly acquiresJobs?: boolean;
  /** How far the clock of a runner may be off when it asks for a token. @default 5 minutes */
  readonly clockSkewMs?: number;
}

/** GitHub as it documents its API: runners, tokens, apps, limits, and a job queue. */
export class CodeHost implements ApiHost {
  readonly org: string;
  readonly orgId = 4_242;
  readonly enterpriseName: string;
  readonly apiUrl: string;
  readonly webUrl: string;
  /** An Enterprise Server serves its API below /api/v3 (docs.github.com, "Getting started with the REST API"). */
  readonly enterprise: boolean;
  readonly foundedAt: number;
  readonly registry: RunnerRegistry;
  readonly pages: RunnerPages;
  readonly credentials: Credentials;
  readonly limits: RateLimits;
  readonly secondaryLimits: SecondaryLimits;
  /** Runner groups: id by name. */
  readonly groups = new Map([['Default', 1]]);
  readonly scaleSets: ScaleSets;
  readonly scaleSetService: ScaleSetService;
  readonly files: RepositoryFiles;
  readonly runs: WorkflowRuns;
  readonly #engine: Engine;
  readonly #random: Random;
  readonly #actions: ActionsService;
  #requests = 0;
  #counted = 0;

  constructor(engine: Engine, options: CodeHostOptions) {
    this.#engine = engine;
    this.#random = engine.random.fork('platform.answers');
    this.org = options.org;
    this.enterpriseName = options.enterpriseName ?? 'example-enterprise';
    this.apiUrl = (options.apiUrl ?? 'https://api.github.com').replace(/\/$/, '');
    this.enterprise = this.apiUrl.endsWith('/api/v3');
    this.webUrl = webUrlOf(this.apiUrl);
    this.foundedAt = engine.clock.now();
    this.registry = new RunnerRegistry(engine, options.org, options);
    this.#actions = new ActionsService(
      this.registry,
      engine.clock,
      engine.random.fork('platform.sessions'),
      options.clockSkewMs,
    );
    this.scaleSets = new ScaleSets(engine, this.registry, { acquires: options.acquiresJobs ?? this.enterprise });
    this.scaleSetService = new ScaleSetService(engine, this.scaleSets, this);
    this.files = new RepositoryFiles(engine.clock);
    this.runs = new WorkflowRuns(engine.clock, this.registry.queue, this.files);
    this.pages = new RunnerPages(this.registry.index, engine.clock);
    this.credentials = new Credentials(engine.clock, engine.random.fork('platform.credentials'));
    this.limits = new RateLimits(engine.clock, { ...options, enterprise: this.enterprise });
    this.secondaryLimits = new SecondaryLimits(engine.clock, { ...options, enabled: this.limits.enabled });
  }

  /** How many requests counted against a limit so far. */
  get countedRequests(): number {
    return this.#counted;
  }

  /** Makes a runner group, as an owner does on the web page; returns its id. */
  addGroup(name: string): number {
    const id = this.groups.get(name) ?? this.groups.size + 1;
    this.groups.set(name, id);
    return id;
  }

  groupWithId(id: number): { readonly id: number; readonly name: string } {
    for (const [name, groupId] of this.groups) if (groupId === id) return { id, name };
    throw notFound();
  }

  /** Puts the API on a network under its own name. */
  join(network: Network): void {
    const site = (request: HttpRequest, origin: Origin) => this.answer(request, origin);
    const hosts = ['github.com', assetHost, new URL(this.apiUrl).hostname, ...this.scaleSetService.addresses.hosts];
    for (const host of hosts) network.register(host, site);
  }

  readonly handle: HttpHandler = (request) => this.answer(request, { kind: 'operator', name: 'operator' });

  async answer(request: HttpRequest, origin: Origin): Promise<HttpResponse> {
    const download = this.registry.releases.download(request.host, request.path);
    if (download !== undefined) return await this.#download(request, download, origin);
    const connection = this.scaleSetService.connectionData(request);
    if (connection !== undefined) return connection;
    const ofService = this.scaleSetService.find(request);
    if (ofService !== undefined) return await this.#serve(ofService, request, origin);
    const path = this.#pathWithinApi(request.path);
    const ofRunner = path === undefined ? undefined : this.#actions.answer(request, path, this.#apiAt(request));
    if (ofRunner !== undefined) return await ofRunner;
    const found = path === undefined ? undefined : findRoute(request.method, path, request.headers.authorization);
    if (found !== undefined && routes.includes(found.route))
      noteAsked(`github ${found.route.method} ${found.route.path}`);
    const operation = `${request.method} ${found?.route.path ?? path ?? request.path}`;
    const leave = this.secondaryLimits.enter(this.credentials.accountOf(request.headers.authorization));
    const effect = await strikeRequest(this.#engine, operation, origin);
    if (effect !== undefined && effect.phase !== 'after') {
      leave();
      return await failRequest(effect, origin);
    }
    const response = path === undefined ? webPage : this.#respond(request, path, found, origin);
    leave();
    const detail = { status: response.status };
    this.#engine.journal.record({ kind: 'request', source: 'platform', name: operation, subject: origin.name, detail });
    return effect === undefined ? response : await failRequest(effect, origin);
  }

  async #download(request: HttpRequest, response: HttpResponse, origin: Origin): Promise<HttpResponse> {
    const operation = `GET ${request.host} download`;
    const effect = await strikeRequest(this.#engine, operation, origin);
    if (effect !== undefined) return await failRequest(effect, origin);
    const detail = { status: response.status };
    this.#engine.journal.record({ kind: 'request', source: 'platform', name: operation, subject: origin.name, detail });
    return response;
  }

  /** A poll during which GitHub went away breaks when it would have ended. */
  async #serve(found: FoundServiceRoute, request: HttpRequest, origin: Origin): Promise<HttpResponse> {
    const operation = `${found.route.method} ${found.route.path}`;
    const effect = await strikeRequest(this.#engine, operation, origin);
    if (effect !== undefined && effect.phase !== 'after') return await failRequest(effect, origin);
    const response = await this.scaleSetService.answer(found, request, origin);
    const detail = { status: response.status };
    this.#engine.journal.record({ kind: 'request', source: 'platform', name: operation, subject: origin.name, detail });
    if (effect !== undefined) return await failRequest(effect, origin);
    const point = { service: 'platform', operation, subject: origin.name };
    const broken = this.#engine.faults.lasts(point, ['error', 'timeout']);
    return broken ? await failRequest({ kind: 'error' }, origin) : response;
  }

  #respond(request: HttpRequest, path: string, found: FoundRoute | undefined, origin: Origin): HttpResponse {
    const headers = commonHeaders(this.#nextRequestId(), this.#engine.clock.now());
    let caller: Caller | undefined;
    try {
      checkRequest(request);
      if (found === undefined) throw this.#unknownRoute(request.method, path);
      caller = identify(this, found.route, request.headers.authorization);
      admitCaller(this, found, caller, request.method, this.#random.chance(0.5) ? 403 : 429);
      const { account } = caller;
      const requester = { account, origin: { kind: origin.kind, name: origin.name } };
      const query = new URLSearchParams(request.query);
      const answer = found.route.answer({
        host: this,
        params: found.params,
        query,
        body: readBody(request),
        caller,
        requester,
        api: this.#apiAt(request),
        site: this.#isAddressed(request) ? this.webUrl : `http://${request.host}`,
      });
      return this.#succeed(request, found, caller, answer, query, headers);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      return this.#refuse(error, found, caller, headers);
    }
  }

  #succeed(
    request: HttpRequest,
    { route }: FoundRoute,
    caller: Caller,
    answer: RouteAnswer,
    query: URLSearchParams,
    common: Readonly<Record<string, string>>,
  ): HttpResponse {
    const etag =
      request.method === 'GET' && caller.kind === 'credential' && route.path !== '/rate_limit'
        ? etagOf(answer, caller.credential.token)
        : undefined;
    const headers = { ...common, ...rightsHeaders(route, caller), ...this.#links(request, query, answer) };
    const response = present(request, answer, etag, headers);
    // "Best practices for using the REST API": a 304 does not count against the primary limit.
    if (response.status !== 304) this.#count(caller, route.resource);
    return {
      ...response,
      headers: { ...this.limits.headers(caller.account, route.resource ?? 'core'), ...response.headers },
    };
  }

  #refuse(
    error: GitHubError,
    found: FoundRoute | undefined,
    caller: Caller | undefined,
    common: Readonly<Record<string, string>>,
  ): HttpResponse {
    if (caller !== undefined && !error.overLimit) this.#count(caller, found?.route.resource);
    const limits = caller === undefined ? {} : this.limits.headers(caller.account, found?.route.resource ?? 'core');
    const rights = found === undefined ? {} : rightsHeaders(found.route, caller);
    const headers = { ...common, ...rights, ...limits, ...error.headers };
    return textAnswer(error.status, errorBody(error, this.#docs(error.page ?? found?.route.docs ?? 'rest')), headers);
  }

  #count(caller: Caller, resource: 'core' | 'actions_runner_registration' | undefined): void {
    if (resource === undefined) return;
    this.limits.count(caller.account, resource);
    this.#counted += 1;
  }

  #links(request: HttpRequest, query: URLSearchParams, answer: RouteAnswer): Record<string, string> {
    const base = this.#apiAt(request);
    const path = (this.#pathWithinApi(request.path) ?? '').replace(/^\/orgs\/[^/]+/, `/organizations/${this.orgId}`);
    return linkHeader(`${base}${path}`, query, answer.list);
  }

  /** The address of the API, as the caller reaches it. */
  #apiAt(request: HttpRequest): string {
    const { pathname } = new URL(this.apiUrl);
    return this.#isAddressed(request) ? this.apiUrl : `http://${request.host}${pathname.replace(/\/$/, '')}`;
  }

  /** By its own name; otherwise it is served on loopback. */
  #isAddressed({ host }: HttpRequest): boolean {
    return host.split(':')[0] === new URL(this.apiUrl).hostname;
  }

  /** Undefined on an Enterprise Server's web pages. An organisation can also be named by its number. */
  #pathWithinApi(path: string): string | undefined {
    const base = new URL(this.apiUrl).pathname.replace(/\/$/, '');
    if (base !== '' && !path.startsWith(`${base}/`)) return undefined;
    return path.slice(base.length).replace(`/organizations/${this.orgId}/`, `/orgs/${this.org}/`);
  }

  /** A trailing slash, or the base path of an Enterprise Server, is a 404; what exists but is not modelled is loud. */
  #unknownRoute(method: string, path: string): GitHubError {
    const misspelt = path.startsWith('/api/v3/') || (path.endsWith('/') && findRoute(method, path.slice(0, -1)));
    return misspelt ? new GitHubError(404, 'Not Found', { page: 'rest' }) : notModelled(`${method} ${path}`);
  }

  #docs(page: string): string {
    return `https://docs.github.com/${this.enterprise ? 'enterprise-server@3.19/' : ''}${page}`;
  }

  #nextRequestId(): string {
    this.#requests += 1;
    const [count, seconds] = [this.#requests, Math.floor(this.#engine.clock.now() / 1000)];
    return `D0FE:${count.toString(16)}:${seconds.toString(16)}`.toUpperCase();
  }
}

/** `api.` in front of github.com and of a name below ghe.com; `/api/v3` behind that of an Enterprise Server. */
const webUrlOf = (apiUrl: string): string =>
  /^https:\/\/api\.(github\.com|[^/]+\.ghe\.com)$/.test(apiUrl)
    ? apiUrl.replace('//api.', '//')
    : apiUrl.replace(/\/api\/v3$/, '');
