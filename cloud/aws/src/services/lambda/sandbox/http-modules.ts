import { EventEmitter } from 'node:events';
import * as realHttp from 'node:http';
import * as realHttps from 'node:https';
import { ClientRequest, type Target, type Wires } from './client-request.ts';
import { IncomingMessage } from './incoming-message.ts';
import { refusedModule } from './refused.ts';

type Respond = (response: IncomingMessage) => void;
type Options = Readonly<Record<string, unknown>> & { readonly headers?: Readonly<Record<string, unknown>> };

/** Connections are not modelled, so an agent has nothing to keep. */
class Agent extends EventEmitter {
  readonly options: Options;
  readonly sockets = {};
  readonly freeSockets = {};
  readonly requests = {};
  maxSockets: number;
  maxFreeSockets = 256;
  maxTotalSockets = Number.POSITIVE_INFINITY;
  keepAlive: boolean;

  constructor(options: Options = {}) {
    super();
    this.options = options;
    this.maxSockets = Number(options.maxSockets ?? Number.POSITIVE_INFINITY);
    this.keepAlive = options.keepAlive === true;
  }

  destroy(): void {}
}

/** `http` and `https` whose requests go over the embedded network. Servers are refused. */
export function httpModules(wires: Wires) {
  const forProtocol = (name: 'http' | 'https', real: object) => {
    const request = (...args: unknown[]) => {
      const { target, respond } = readArguments(args, `${name}:`);
      return new ClientRequest(wires, target, respond);
    };
    const get = (...args: unknown[]) => request(...args).end();
    const allowed = { request, get, Agent, globalAgent: new Agent(), ClientRequest, IncomingMessage };
    return refusedModule(name, real as never, allowed);
  };
  return { http: forProtocol('http', realHttp), https: forProtocol('https', realHttps) };
}

/** `request(url, options?, callback?)` or `request(options, callback?)`. */
function readArguments(args: readonly unknown[], defaultProtocol: string): { target: Target; respond?: Respond } {
  const respond = args.find((arg): arg is Respond => typeof arg === 'function');
  const [first, second] = args;
  const address = typeof first === 'string' || first instanceof URL ? fromUrl(new URL(first)) : {};
  const given = (typeof first === 'object' && !(first instanceof URL) ? first : second) as Options | undefined;
  const options: Options = { ...address, ...(typeof given === 'object' && given !== null ? copyOf(given) : {}) };
  return { target: targetOf(options, defaultProtocol), ...(respond === undefined ? {} : { respond }) };
}

/** A URL given as options has its parts on the prototype. */
const copyOf = (given: Options): Options =>
  given instanceof URL
    ? fromUrl(given)
    : Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

const fromUrl = (url: URL): Options => ({
  protocol: url.protocol,
  hostname: url.hostname,
  ...(url.port === '' ? {} : { port: url.port }),
  path: `${url.pathname}${url.search}`,
  ...(url.username === '' ? {} : { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` }),
});

function targetOf(options: Options, defaultProtocol: string): Target {
  const protocol = String(options.protocol ?? defaultProtocol);
  const hostname = String(options.hostname ?? options.host ?? 'localhost').replace(/:\d+$/, '');
  const port = Number(options.port ?? options.defaultPort ?? 0);
  const standard = port === 0 || port === (protocol === 'https:' ? 443 : 80);
  const authorization: Record<string, string> =
    options.auth === undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(String(options.auth)).toString('base64')}` };
  return {
    method: String(options.method ?? 'GET').toUpperCase(),
    protocol,
    host: standard ? hostname : `${hostname}:${port}`,
    path: String(options.path ?? '/'),
    headers: { ...authorization, ...headersOf(options.headers) },
    ...(options.timeout === undefined ? {} : { timeoutMs: Number(options.timeout) }),
    ...(options.signal instanceof AbortSignal ? { signal: options.signal } : {}),
  };
}

const headersOf = (headers: Options['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  );
