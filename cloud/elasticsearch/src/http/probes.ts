import type { HttpRequest, HttpResponse } from '@drover/cloud-engine';
import { noteAsked } from '@drover/cloud-engine';
import type { SearchNode } from '../engine/coordination/search-node.ts';
import type { SearchCluster } from '../engine/search-cluster.ts';

const point = { service: 'search', operation: 'cluster.health' };
/** Headers that change no response. */
const idle = new Set(['host', 'user-agent', 'connection']);

/** The values that a response to a probe is made from. */
type Grounds = readonly unknown[];

const kept = new WeakMap<SearchNode, { readonly grounds: Grounds; readonly response: HttpResponse }>();

/** The health of the node itself, without a login: what load balancers ask each node every few seconds. */
const isProbe = ({ method, path, query, headers, body }: HttpRequest): boolean =>
  path === '/_cluster/health' &&
  query === 'local=true' &&
  method === 'GET' &&
  body.length === 0 &&
  Object.keys(headers).every((name) => idle.has(name));

function groundsOf({ security, version }: SearchCluster, node: SearchNode): Grounds {
  const view = node.view();
  const { roles, anonymous } = node.options.security ?? security?.settings ?? {};
  return [view?.state, view?.masterId, version, roles, anonymous];
}

const isSame = (one: Grounds, other: Grounds) => one.every((ground, at) => ground === other[at]);

/** Gives the response to the last probe once more, as long as the node would give the same; `make` makes another one. */
export async function probed(
  cluster: SearchCluster,
  node: SearchNode,
  request: HttpRequest,
  make: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  if (!isProbe(request) || cluster.engine.faults.mayStrike(point)) return await make();
  const grounds = groundsOf(cluster, node);
  const known = kept.get(node);
  if (known !== undefined && isSame(known.grounds, grounds)) {
    noteAsked(`elasticsearch ${point.operation}`);
    return known.response;
  }
  const response = await make();
  if (response.status === 200 && isSame(grounds, groundsOf(cluster, node))) kept.set(node, { grounds, response });
  return response;
}
