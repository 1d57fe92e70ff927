import type { HttpRequest, HttpResponse, Network, Origin } from '@drover/cloud-engine';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { type Action, type Listener, type LoadBalancer, originOf, type TargetGroup } from './model.ts';
import type { Balancers } from './state.ts';
import { addressOf, eligibleTargets } from './targets.ts';

/** The outside facts that forwarding needs. */
interface Forwarding {
  readonly aws: AwsNeighbours;
  readonly balancers: Balancers;
  readonly network: Network;
}

/** Serves a request that came to a load balancer. */
export async function answer(
  world: Forwarding,
  balancer: LoadBalancer,
  request: HttpRequest,
  from: Origin,
): Promise<HttpResponse> {
  const listener = listenerFor(world.balancers.listenersOf(balancer.arn), request);
  if (listener === undefined)
    throw Object.assign(new Error(`connect ECONNREFUSED ${request.host}`), { code: 'ECONNREFUSED' });
  const { action } = listener;
  if (action.type === 'redirect') return redirect(action, request, listener);
  if (action.type === 'fixed-response')
    return { status: Number(action.statusCode), headers: { 'content-type': action.contentType }, body: action.body };
  return await forward(world, balancer, world.balancers.targetGroup(action.targetGroupArn), request, listener, from);
}

/** By port: as addressed, or that of the protocol. */
function listenerFor(listeners: readonly Listener[], { host, protocol }: HttpRequest): Listener | undefined {
  const named = /:(\d+)$/.exec(host)?.[1];
  const port = named === undefined ? (protocol === 'http' ? 80 : 443) : Number(named);
  return listeners.find((listener) => listener.port === port);
}

function redirect(
  action: Extract<Action, { type: 'redirect' }>,
  request: HttpRequest,
  listener: Listener,
): HttpResponse {
  const protocol = action.protocol === '#{protocol}' ? listener.protocol : action.protocol;
  const port = action.port === '#{port}' ? String(listener.port) : action.port;
  const host = request.host.replace(/:\d+$/, '');
  const query = request.query === '' ? '' : `?${request.query}`;
  const location = `${protocol.toLowerCase()}://${host}:${port}${request.path}${query}`;
  return { status: action.statusCode === 'HTTP_302' ? 302 : 301, headers: { location }, body: '' };
}

async function forward(
  world: Forwarding,
  balancer: LoadBalancer,
  group: TargetGroup,
  request: HttpRequest,
  listener: Listener,
  from: Origin,
): Promise<HttpResponse> {
  const targets = eligibleTargets(group);
  if (targets.length === 0) return page(503, 'Service Temporarily Unavailable');
  const target = targets[group.turn++ % targets.length]!;
  const address = addressOf(world.aws, group, target);
  if (address === undefined) return page(502, 'Bad Gateway');
  const inner = forwarded(request, `${address}:${target.port}`, listener, from);
  return await withinIdleTimeout(world, balancer, inner);
}

/** The headers that a load balancer adds. (User Guide, "HTTP headers and Application Load Balancers".) */
function forwarded(request: HttpRequest, host: string, listener: Listener, from: Origin): HttpRequest {
  const before = request.headers['x-forwarded-for'];
  const client = from.address ?? '127.0.0.1';
  return {
    ...request,
    host,
    protocol: 'http',
    headers: {
      ...request.headers,
      host: request.headers.host ?? request.host,
      'x-forwarded-for': before === undefined ? client : `${before}, ${client}`,
      'x-forwarded-proto': listener.protocol.toLowerCase(),
      'x-forwarded-port': String(listener.port),
    },
  };
}

/**
 * 502 when the target refuses, 504 when it does not respond in time. (User Guide, "Troubleshoot your Application Load
 * Balancers".)
 */
function withinIdleTimeout(
  { aws, network }: Forwarding,
  balancer: LoadBalancer,
  request: HttpRequest,
): Promise<HttpResponse> {
  const seconds = Number(balancer.attributes['idle_timeout.timeout_seconds'] ?? 60);
  return new Promise((resolve) => {
    const timer = aws.engine.clock.after(seconds * 1000, () => resolve(page(504, 'Gateway Time-out')));
    network
      .from(originOf(balancer))(request)
      .then(resolve, () => resolve(page(502, 'Bad Gateway')))
      .finally(() => timer.cancel());
  });
}

const page = (status: number, title: string): HttpResponse => ({
  status,
  headers: { server: 'awselb/2.0', 'content-type': 'text/html' },
  body: `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n</body>\r\n</html>\r\n`,
});
