import { collectText } from '../../http/collect-text.ts';
import type { OperationsOf, ServiceCalls } from './calls.ts';
import { type AwsFailure, noReason } from './errors.ts';
import type { SignedResponse } from './signed/protocols.ts';
import type { SignedConfig, SignedRequest } from './signed/signed-calls.ts';

/** Settings of an SDK client. Members beyond the region, e.g. credentials or a transport, are passed on. */
export interface SdkConfig {
  readonly region?: string;
  readonly [setting: string]: unknown;
}

/** One service of the SDK: its client, and its command classes by the name of their operation. */
export interface SdkService<Commands> {
  readonly Client: new (config: SdkConfig) => SdkClient;
  readonly commands: Commands;
}

/** As much of an SDK client as is used. */
export interface SdkClient {
  send(command: never): Promise<unknown>;
}

/** Calls through the SDK. The client is made at the first call: making one costs more than a call. */
export function sdkCalls<Commands>(
  { Client, commands }: SdkService<Commands>,
  config: SdkConfig,
): ServiceCalls<OperationsOf<Commands>> {
  let client: SdkClient | undefined;
  return callsThrough(commands, () => {
    client ??= new Client(config);
    return client;
  });
}

/** Calls through a client that exists already, or that `client` makes. */
export function callsThrough<Commands>(
  commands: Commands,
  client: () => SdkClient | Promise<SdkClient>,
): ServiceCalls<OperationsOf<Commands>> {
  const classes = commands as Readonly<Record<string, new (input: unknown) => object>>;
  const call = async (operation: string, input: unknown) => {
    const chosen = await client();
    return await chosen.send(new classes[operation]!(input) as never).catch((failure: AwsFailure) => {
      // The SDK's own word where AWS sent no text, as for an unknown parameter.
      if (failure.message === 'UnknownError') failure.message = noReason(failure.$metadata?.httpStatusCode);
      throw failure;
    });
  };
  return call as ServiceCalls<OperationsOf<Commands>>;
}

/** The part of an SDK client's configuration that another request can be signed and sent with. */
export interface SdkClientConfig {
  region(): Promise<string>;
  credentials(): ReturnType<SignedConfig['credentials']>;
  readonly requestHandler: object;
}

interface RequestHandler {
  handle(request: object): Promise<{
    readonly response: {
      readonly statusCode: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: unknown;
    };
  }>;
}

/** Signs and sends as an SDK client does: for a service of which the SDK's own package is not worth its size. */
export function signingAs(config: SdkClientConfig, endpoint?: string): SignedConfig {
  return {
    region: () => config.region(),
    credentials: () => config.credentials(),
    ...(endpoint === undefined ? {} : { endpoint }),
    send: (request) => sendWith(config.requestHandler as RequestHandler, request),
  };
}

async function sendWith(handler: RequestHandler, { url, body, ...request }: SignedRequest): Promise<SignedResponse> {
  const { response } = await handler.handle({
    ...request,
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    path: url.pathname,
    query: {},
    ...(body === '' ? {} : { body }),
  });
  return { status: response.statusCode, headers: response.headers, body: await text(response.body) };
}

async function text(body: unknown): Promise<string> {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  return await collectText(body instanceof Uint8Array ? [body] : (body as AsyncIterable<Uint8Array>));
}
