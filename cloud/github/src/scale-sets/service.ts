import { type Engine, type HttpRequest, type HttpResponse, noteAsked, type Origin } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { ServiceAddresses, tenantOf } from './addresses.ts';
import { AdminTokens } from './admin-tokens.ts';
import { jitConfig } from './jit-config.ts';
import { type Misbehaviour, mischiefOf, whatRemains } from './misbehaviour.ts';
import type { ScaleSet, Session } from './scale-set.ts';
import type { ScaleSets } from './scale-sets.ts';
import { badRequest, ServiceError, unauthorized } from './service-errors.ts';
import { type ServiceAnswer, type ServiceCall, type ServiceRoute, serviceRoutes } from './service-routes.ts';

interface Owner {
  readonly org: string;
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly enterprise: boolean;
  readonly groups: ReadonlyMap<string, number>;
}

/** A request that is for the Actions service. */
export interface FoundServiceRoute {
  readonly route: ServiceRoute;
  readonly params: Readonly<Record<string, string>>;
  readonly tenant: string | undefined;
}

const compiled = serviceRoutes.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

/** The Actions service as clients of scale sets see it: nothing here counts against a limit of the API. */
export class ScaleSetService {
  readonly addresses: ServiceAddresses;
  readonly #engine: Engine;
  readonly #random: Random;
  readonly #sets: ScaleSets;
  readonly #owner: Owner;
  readonly #tokens: AdminTokens;

  constructor(engine: Engine, sets: ScaleSets, owner: Owner) {
    this.#engine = engine;
    this.#random = engine.random.fork('platform.actions-service');
    this.#sets = sets;
    this.#owner = owner;
    this.#tokens = new AdminTokens(engine.clock, this.#random);
    this.addresses = new ServiceAddresses(owner.apiUrl);
  }

  /**
   * The connection for a registration token: the service's address, and the token for it. `host` is the one that the
   * caller addressed.
   */
  connect(level: string, host: string): { readonly url: string; readonly token: string } {
    return { url: this.addresses.service(host, tenantOf(level)), token: this.#tokens.mint(level) };
  }

  /**
   * The request of a runner before its session where its configuration names this service (actions/runner, ServerDataProvider.cs): no service of the list
   * matters to it, the list must be there. Undefined for anything else.
   */
  connectionData(request: HttpRequest): HttpResponse | undefined {
    const place = this.addresses.read(request.host, request.path);
    if (place?.path.toLowerCase() !== '/_apis/connectiondata') return undefined;
    const instanceId = '00000000-0000-4000-8000-000000000000';
    const body = { instanceId, deploymentId: instanceId, locationServiceData: { serviceDefinitions: [] } };
    return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
  }

  /** Undefined for what is not for this service. */
  find(request: HttpRequest): FoundServiceRoute | undefined {
    const place = this.addresses.read(request.host, request.path);
    if (place === undefined) return undefined;
    for (const { route, pattern } of compiled) {
      const found = route.method === request.method ? pattern.exec(place.path) : null;
      if (found !== null) return { route, params: { ...found.groups }, tenant: place.tenant };
    }
    return undefined;
  }

  async answer(found: FoundServiceRoute, request: HttpRequest, origin: Origin): Promise<HttpResponse> {
    const { method, path } = found.route;
    noteAsked(`github ${method} ${path}`);
    const mischief = mischiefOf(this.#engine, `${method} ${path}`, origin.name);
    const answer = await this.#answer(found, request, origin, mischief);
    const text = answer.body === undefined ? '' : JSON.stringify(whatRemains(mischief, answer.body));
    return {
      status: answer.status,
      headers: {
        ...(text === '' ? {} : { 'content-type': 'application/json; charset=utf-8; api-version=6.0-preview.1' }),
        activityid: this.#random.uuid(),
        'x-github-request-id': this.#random.hex(16).toUpperCase(),
      },
      body:
        mischief === 'empty-answer' && answer.status === 200
          ? ''
          : `${mischief === 'byte-order-mark' ? '\uFEFF' : ''}${text}`,
    };
  }

  async #answer(
    found: FoundServiceRoute,
    request: HttpRequest,
    origin: Origin,
    mischief: Misbehaviour | undefined,
  ): Promise<ServiceAnswer> {
    try {
      const call = this.#call(found, request, origin);
      this.#befall(mischief, found.route, call);
      return await found.route.answer(this.#call(found, request, origin));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { status, typeName, message } = error;
      return { status, body: { $id: '1', innerException: null, message, typeName, errorCode: 0, eventId: 3000 } };
    }
  }

  /** Applies faults to the set before its client gets a response. */
  #befall(mischief: Misbehaviour | undefined, { path }: ServiceRoute, { reader, params }: ServiceCall): void {
    const set = reader?.set ?? (path.includes('runnerscalesets') ? this.#sets.get(Number(params.id)) : undefined);
    if (set === undefined) return;
    if (mischief === 'scale-set-gone') this.#sets.forget(set);
    if (mischief === 'session-gone') this.#sets.evict(set);
    if (mischief === 'message-ids-restart') set.messages.restart();
  }

  #call({ route, params, tenant }: FoundServiceRoute, request: HttpRequest, origin: Origin): ServiceCall {
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const reader = route.token === 'queue' ? this.#sets.sessions.readerOf(token) : undefined;
    const level = route.token === 'queue' ? reader?.set.level : this.#tokens.levelOf(token);
    if (level === undefined || (tenant !== undefined && tenant !== tenantOf(level))) throw unauthorized();
    if (params.id !== undefined && reader !== undefined && reader.set.id !== Number(params.id)) throw unauthorized();
    const query = new URLSearchParams(request.query);
    if (route.token === 'admin' && query.get('api-version') !== '6.0-preview')
      throw badRequest('No api-version was supplied for the request.');
    const { org, groups, enterprise } = this.#owner;
    return {
      sets: this.#sets,
      request,
      origin,
      params,
      query,
      body: bodyOf(request),
      level,
      // A repository has no groups of its own.
      groups: level.startsWith(`${org}/`) ? new Map([['Default', 1]]) : groups,
      enterprise,
      reader,
      presentSet: (set) => this.#presentSet(set, request.host),
      presentSession: (set, session) => this.#presentSession(set, session, request.host),
      jitConfig: (set, runner, workFolder) =>
        jitConfig(runner, {
          actionsUrl: this.#actionsUrl(request.host),
          serviceUrl: this.addresses.service(request.host, tenantOf(level)),
          gitHubUrl: `${this.#owner.webUrl}/${level}`,
          workFolder,
          disableUpdate: set.settings.disableUpdate,
        }),
    };
  }

  /** The services that runners ask: `ActionsService` of this package. */
  #actionsUrl(host: string): string {
    const { apiUrl, enterprise } = this.#owner;
    const isOwn = [new URL(apiUrl).hostname, ...this.addresses.hosts].includes(host.split(':')[0]!);
    return isOwn ? `${apiUrl}/actions/` : `http://${host}${enterprise ? '/api/v3' : ''}/actions/`;
  }

  #presentSet(set: ScaleSet, host: string): object {
    const { name, groupId, labels, disableUpdate } = set.settings;
    const service = this.addresses.service(host, tenantOf(set.level));
    return {
      id: set.id,
      name,
      runnerGroupId: groupId,
      runnerGroupName: [...this.#owner.groups].find(([, id]) => id === groupId)?.[0] ?? 'Default',
      labels,
      RunnerSetting: { disableUpdate },
      createdOn: new Date(set.createdAt).toISOString(),
      runnerJitConfigUrl: `${service}_apis/runtime/runnerscalesets/${set.id}/generatejitconfig`,
      statistics: this.#sets.statistics(set),
    };
  }

  #presentSession(set: ScaleSet, session: Session, host: string): object {
    return {
      sessionId: session.id,
      ownerName: session.owner,
      runnerScaleSet: this.#presentSet(set, host),
      messageQueueUrl: this.addresses.messages(host, tenantOf(set.level), set.id, session.id),
      messageQueueAccessToken: session.token,
      statistics: this.#sets.statistics(set),
    };
  }
}

function bodyOf(request: HttpRequest): unknown {
  if (request.body.length === 0) return {};
  try {
    const body: unknown = JSON.parse(Buffer.from(request.body).toString('utf8'));
    if (typeof body === 'object' && body !== null) return body;
  } catch {}
  throw badRequest('The body is not JSON.');
}
