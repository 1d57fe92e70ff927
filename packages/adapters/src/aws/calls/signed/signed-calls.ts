import { type Clock, type Random, RealClock, SystemRandom } from '@drover/core';
import { collectText } from '../../../http/collect-text.ts';
import { sendHttp } from '../../../http/send-http.ts';
import type { ObjectBytes, ServiceCalls } from '../calls.ts';
import type { OperationSpec, Protocol, SignedResponse } from './protocols.ts';
import { type SigningKeys, signedHeaders } from './sign-request.ts';

/** A signed request as it is sent. */
export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when there is none. */
  readonly body: string;
  /** Sent instead of the body. */
  readonly bytes?: ObjectBytes;
}

export interface SignedConfig {
  region(): Promise<string>;
  credentials(): Promise<SigningKeys>;
  /** @default the region's own */
  readonly endpoint?: string;
  /** @default over Node's HTTP client */
  send?(request: SignedRequest): Promise<SignedResponse>;
  /** Clock for the pauses between attempts. @default the machine's */
  readonly clock?: Clock;
  /** @default the machine's */
  readonly random?: Random;
}

/** One service as the small client knows it. */
export interface SignedService<Operations> {
  /** Signing name and first part of the host name. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly operations: Readonly<Record<NamesOf<Operations>, OperationSpec>>;
}

type NamesOf<Operations> = keyof Operations & string;

/** A signature carries the machine's own time, whatever clock the program runs on: AWS compares it with its own. */
const signingClock = new RealClock();
const systemRandom = new SystemRandom();

/** Calls that this package signs and sends itself: a fraction of the SDK's size, for functions and for single calls. */
export function signedCalls<Operations>(
  service: SignedService<Operations>,
  config: SignedConfig,
): ServiceCalls<Operations> {
  const { protocol, operations } = service;
  const { random = systemRandom } = config;
  const call = async (operation: NamesOf<Operations>, given: object) => {
    const spec = operations[operation];
    const input = spec.token === true ? { ClientRequestToken: random.uuid(), ...given } : given;
    const unsigned = protocol.request(operation, input, spec);
    const response = await withRetries(config, spec.once === true ? 1 : mostAttempts, async () => {
      const received = await sendOnce(service.name, unsigned, config);
      return received.status < 300 ? received : protocol.failure(operation, received);
    });
    return protocol.output(operation, response, spec);
  };
  return call as unknown as ServiceCalls<Operations>;
}

async function sendOnce(
  service: string,
  { path, headers, ...content }: ReturnType<Protocol['request']>,
  config: SignedConfig,
): Promise<SignedResponse> {
  const region = await config.region();
  const origin = config.endpoint ?? `https://${service}.${region}.${dnsSuffix(region)}`;
  const url = new URL(path, origin);
  const unsigned = { ...content, path, headers: { host: url.host, 'user-agent': 'drover', ...headers } };
  const scope = { service, region, keys: await config.credentials(), now: signingClock.now() };
  const send = config.send ?? sendOverHttp;
  return await send({ ...content, url, headers: signedHeaders(unsigned, scope) });
}

/** `amazonaws.com`, or `amazonaws.com.cn` in China. */
const dnsSuffix = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');

const silenceMs = 10_000;

async function sendOverHttp({ url, method, headers, body, bytes }: SignedRequest): Promise<SignedResponse> {
  const content = bytes === undefined ? { body: body === '' ? null : body } : { stream: await bytes.open() };
  const message = await sendHttp(url, { method, headers, silenceMs, ...content });
  const received = Object.entries(message.headers).map(([name, value]) => [name, String(value)]);
  return {
    status: message.statusCode ?? 0,
    headers: Object.fromEntries(received) as Record<string, string>,
    body: await collectText(message),
  };
}

const mostAttempts = 3;
/** AWS SDKs and Tools Reference Guide, "Retry behavior", mode `standard`. */
const firstPauseMs = 100;

/** Tries again after a network error, an error of the server and throttling. */
async function withRetries(
  { clock = signingClock, random = systemRandom }: Pick<SignedConfig, 'clock' | 'random'>,
  attempts: number,
  attempt: () => Promise<SignedResponse | Error>,
): Promise<SignedResponse> {
  for (let count = 1; ; count++) {
    let sent = true;
    const outcome = await attempt().catch((error: Error) => {
      sent = false;
      return error;
    });
    if (!(outcome instanceof Error)) return outcome;
    if (count >= attempts || (sent && !mayPass(outcome))) throw outcome;
    await clock.sleep(random.next() * firstPauseMs * 2 ** count);
  }
}

const mayPass = (failure: Error & { readonly $metadata?: { readonly httpStatusCode: number } }) => {
  const status = failure.$metadata?.httpStatusCode ?? 0;
  return (
    status >= 500 ||
    status === 429 ||
    /Throttl|RequestLimitExceeded|TooManyRequests|SlowDown|RequestTimeout/.test(failure.name)
  );
};
