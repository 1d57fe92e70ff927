import type { FaultEffect, HttpRequest, HttpResponse } from '@drover/cloud-engine';
import { never, noteAsked } from '@drover/cloud-engine';
import type { Value } from '@drover/formats';
import type { SearchNode } from '../engine/coordination/search-node.ts';
import { ElasticsearchError, illegalArgument } from '../engine/errors.ts';
import type { SearchCluster } from '../engine/search-cluster.ts';
import type { Principal } from '../engine/security/authenticate.ts';
import type { Demand } from '../engine/security/authorize.ts';
import { atLeast } from '../engine/state/versions.ts';
import { Call } from './call.ts';
import { decode as decodeBody } from './formats/codec.ts';
import { checkCompatibility, type Format, type MediaType, readMediaType } from './formats/media-types.ts';
import { probed } from './probes.ts';
import { type Rendering, render, renderError } from './responses/render.ts';
import { notModelledHeader, PlainRestError, RestError } from './responses/rest-error.ts';
import { routerFor } from './routes/all-routes.ts';
import { blockChecks } from './routes/block-checks.ts';
import { checkBody, checkParams } from './routes/check-params.ts';
import type { Route } from './routes/route.ts';
import type { Match } from './routes/router.ts';
import { decode } from './routes/router.ts';

/** One request to one node, from bytes to bytes. The journal notes what is not modelled. */
export async function respond(cluster: SearchCluster, node: SearchNode, request: HttpRequest): Promise<HttpResponse> {
  const response = await probed(cluster, node, request, () => responseTo(cluster, node, request));
  if (response.headers[notModelledHeader] !== undefined) {
    const name = `not modelled: ${request.method} ${request.path}`;
    cluster.engine.journal.record({ kind: 'note', source: 'search', name, subject: node.name });
  }
  return response;
}

async function responseTo(cluster: SearchCluster, node: SearchNode, request: HttpRequest): Promise<HttpResponse> {
  let rendering: Rendering = { format: 'json', type: 'application/json', pretty: false, params: new Map() };
  try {
    const params = readQuery(request.query);
    rendering = { ...rendering, ...plainRendering(params) };
    const user =
      request.method === 'OPTIONS'
        ? undefined
        : cluster.security?.authenticate(request, node, cluster.engine.clock.now());
    const { accept, contentType } = readHeaders(request, cluster.version);
    rendering = chooseRendering(params, accept, contentType);
    return finish(await dispatch(cluster, node, request, params, contentType, rendering, user), request, cluster);
  } catch (error) {
    return finish(renderError(error, rendering), request, cluster);
  }
}

async function dispatch(
  cluster: SearchCluster,
  node: SearchNode,
  request: HttpRequest,
  params: Map<string, string>,
  contentType: MediaType | undefined,
  rendering: Rendering,
  user: Principal | undefined,
): Promise<HttpResponse> {
  const uri = request.query === '' ? request.path : `${request.path}?${request.query}`;
  if (request.method === 'OPTIONS') return options(request, cluster);
  const match = routerFor(cluster.version).find(request.method, request.path, uri);
  noteAsked(`elasticsearch ${match.route.api}`);
  const call = makeCall(cluster, node, request, params, match, contentType);
  call.user = user;
  call.blockedAt = blockChecks(match.route.api);
  const fault = await strike(cluster, node, match.route);
  checkParams(match.route, request.path, params, match.pathParams, call.major);
  checkBody(match.route, request.method, request.path, request.body);
  const { security } = cluster;
  if (security !== undefined) {
    call.permit = (at = node) => {
      for (const demand of demandsOf(call, match.route)) security.authorize(call.user, demand, at);
    };
    call.refusal = (action, index) => security.refusal(call.user, action, index, node);
    call.visible = (index) => security.maySee(call.user, match.route.action, index);
  }
  try {
    const reply = await match.route.run(call);
    call.permit();
    if (fault !== undefined) await fail(fault);
    return withWarnings(render(reply, rendering, call), call);
  } catch (error) {
    return withWarnings(renderError(error, rendering), call);
  }
}

function demandsOf(call: Call, { action, actions, indices, ownUser }: Route): Demand[] {
  const all = [...(action === undefined ? [] : [action]), ...(actions?.(call) ?? [])];
  return all.map((each) => ({ action: each, indices: indices?.(call) ?? [], ownUser: ownUser?.(call) ?? false }));
}

function readQuery(query: string): Map<string, string> {
  const params = new Map<string, string>();
  for (const part of query.split(/[&;]/)) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    const value = equals < 0 ? '' : part.slice(equals + 1);
    params.set(decode(name.replaceAll('+', ' ')), decode(value.replaceAll('+', ' ')));
  }
  return params;
}

function readHeaders(request: HttpRequest, version: string) {
  const { accept, 'content-type': type } = request.headers;
  const parsedAccept = readMediaType(accept, 'Accept');
  const contentType = readMediaType(type, 'Content-Type');
  if (atLeast(version, '7.11.0'))
    checkCompatibility(
      parsedAccept,
      contentType,
      {
        ...(accept === undefined ? {} : { accept }),
        ...(type === undefined ? {} : { contentType: type }),
        hasBody: request.body.length > 0,
      },
      version,
    );
  return { accept: parsedAccept, contentType };
}

/** The part of the rendering that is known before the headers have been read. */
function plainRendering(params: ReadonlyMap<string, string>): Partial<Rendering> {
  const named = params.get('format')?.toLowerCase();
  return isFormat(named)
    ? { format: named, type: `application/${named}`, params }
    : { params, pretty: params.get('pretty') === '' || params.get('pretty') === 'true' };
}

/** `?format=` before `Accept` before the request's own `Content-Type`. */
function chooseRendering(
  params: ReadonlyMap<string, string>,
  accept: MediaType | undefined,
  contentType: MediaType | undefined,
): Rendering {
  const named = params.get('format')?.toLowerCase();
  const pretty = params.has('pretty') && readFlag(params.get('pretty')!);
  if (params.has('human')) readFlag(params.get('human')!);
  const base = { pretty, params };
  if (named !== undefined) {
    const format = isFormat(named) ? named : undefined;
    return {
      ...base,
      format: format ?? 'json',
      type: `application/${format ?? 'json'}`,
      explicit: format !== undefined,
      accept,
    };
  }
  if (accept !== undefined)
    return {
      ...base,
      format: isFormat(accept.format) ? accept.format : 'json',
      type: accept.text,
      explicit: isFormat(accept.format),
      accept,
    };
  if (contentType !== undefined && isFormat(contentType.format))
    return { ...base, format: contentType.format, type: contentType.text.split(';')[0]!, explicit: false };
  return { ...base, format: 'json', type: 'application/json' };
}

const isFormat = (name: string | undefined): name is Format =>
  name === 'json' || name === 'yaml' || name === 'cbor' || name === 'smile';

function readFlag(value: string): boolean {
  if (value !== '' && value !== 'true' && value !== 'false')
    throw illegalArgument(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
  return value !== 'false';
}

function makeCall(
  cluster: SearchCluster,
  node: SearchNode,
  request: HttpRequest,
  params: Map<string, string>,
  match: Match,
  contentType: MediaType | undefined,
): Call {
  for (const [name, value] of Object.entries(match.pathParams)) params.set(name, value);
  const { body, format } = bodyOf(request, params, contentType);
  const empty = body.length === 0;
  const lines = match.route.lines === true && !empty ? readLines(body, format) : undefined;
  return new Call(cluster, node, {
    method: request.method,
    path: request.path,
    params,
    body: empty || match.route.lines === true ? undefined : readBody(match.route, cluster.version, body, format),
    lines,
    rawBody: body,
    headers: request.headers,
  });
}

/** Since 8.0 a document that cannot be read is refused by the mapping. */
function readBody({ api }: Route, version: string, body: Uint8Array, format: Format): Value {
  try {
    return decodeBody(body, format);
  } catch (error) {
    if (!(error instanceof ElasticsearchError && ['index', 'create'].includes(api) && atLeast(version, '8.0.0')))
      throw error;
    const { reason } = error.failure;
    throw new RestError(400, {
      type: 'document_parsing_exception',
      reason: `${reason?.split(' ')[0]} failed to parse: ${reason}`,
      causedBy: error.failure,
    });
  }
}

/** The body, or what stands in the parameter `source`. */
function bodyOf(
  request: HttpRequest,
  params: ReadonlyMap<string, string>,
  contentType: MediaType | undefined,
): { body: Uint8Array; format: Format } {
  if (request.body.length > 0) {
    const format = contentType?.format === 'ndjson' ? 'json' : contentType?.format;
    if (!isFormat(format))
      throw new PlainRestError(406, {
        error: `Content-Type header [${request.headers['content-type'] ?? ''}] is not supported`,
        status: 406,
      });
    return { body: request.body, format };
  }
  const source = params.get('source');
  if (source === undefined) return { body: request.body, format: 'json' };
  const type = readMediaType(params.get('source_content_type'), 'Content-Type');
  if (type === undefined)
    throw new RestError(400, {
      type: 'validation_exception',
      reason: 'Validation Failed: 1: source and source_content_type parameters are required;',
    });
  return { body: Buffer.from(source), format: isFormat(type.format) ? type.format : 'json' };
}

function readLines(body: Uint8Array, format: Format): Value[] {
  const text = Buffer.from(body).toString();
  return text
    .split('\n')
    .map((line) =>
      line.trim() === '' ? undefined : decodeBody(Buffer.from(line), format === 'yaml' ? 'json' : format),
    );
}

type RequestFault = Extract<FaultEffect, { kind: 'error' | 'timeout' }>;

/**
 * Applies the fault plan to this endpoint: `operation` is the API's name, `subject` the node's. Returns the faults that
 * strike after the request.
 */
async function strike(cluster: SearchCluster, node: SearchNode, route: Route): Promise<RequestFault | undefined> {
  const point = { service: 'search', operation: route.api, subject: node.name };
  const { faults, clock } = cluster.engine;
  const slow = faults.strike(point, ['slow']);
  if (slow !== undefined) await clock.sleep(slow.ms);
  if (faults.strike(point, ['throttle']) !== undefined) {
    const pool = /^(bulk|index|create|update|delete)$/.test(route.api) ? 'write' : 'search';
    node.rejected.set(pool, (node.rejected.get(pool) ?? 0) + 1);
    throw new RestError(429, {
      type: 'es_rejected_execution_exception',
      reason: 'rejected execution (injected fault)',
    });
  }
  const fault = faults.strike(point, ['error', 'timeout']);
  if (fault !== undefined && fault.phase !== 'after') await fail(fault);
  return fault;
}

async function fail(fault: RequestFault): Promise<never> {
  if (fault.kind === 'timeout') return await never;
  throw new RestError(fault.status ?? 503, {
    type: fault.code ?? 'no_shard_available_action_exception',
    reason: 'injected fault',
  });
}

function options(request: HttpRequest, cluster: SearchCluster): HttpResponse {
  const allowed = routerFor(cluster.version).allowed(request.path);
  return { status: 200, headers: { Allow: allowed.join(','), 'content-type': 'text/plain; charset=UTF-8' }, body: '' };
}

function withWarnings(response: HttpResponse, call: Call): HttpResponse {
  // A real server says nothing of this with 401 and 403.
  if (call.warnings.length === 0 || response.status === 401 || response.status === 403) return response;
  const list = call.warnings.map(
    (text) => `299 Elasticsearch-${call.version}-embedded "${text.replaceAll('"', '\\"')}"`,
  );
  return { ...response, headers: { ...response.headers, Warning: list.join(', ') } };
}

function finish(response: HttpResponse, request: HttpRequest, cluster: SearchCluster): HttpResponse {
  const opaque = request.headers['x-opaque-id'];
  // A real server leaves the product header out of every 401 and 403.
  const named = atLeast(cluster.version, '7.14.0') && response.status !== 401 && response.status !== 403;
  const headers: Record<string, string> = {
    ...(named ? { 'X-elastic-product': 'Elasticsearch' } : {}),
    ...(opaque === undefined ? {} : { 'X-Opaque-Id': opaque }),
    ...response.headers,
    'content-length': String(Buffer.byteLength(response.body as string)),
  };
  return { status: response.status, headers, body: request.method === 'HEAD' ? '' : response.body };
}
