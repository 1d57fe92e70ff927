import { RealClock } from '@drover/core';
import { collectText } from '../http/send-http.ts';
import { type SigningKeys, signedHeaders } from './sign-request.ts';

/** One request to AWS that no SDK client is worth loading for. */
export interface SignedRequest {
  /** Signing name. */
  readonly service: string;
  readonly method: string;
  /** Host name on AWS; replaced by the endpoint that is configured for the process, if any. */
  readonly host: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface SignedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Region, credentials and transport, borrowed from an SDK client that is there anyway. */
export interface SdkNeighbour {
  readonly config: {
    region(): Promise<string>;
    credentials(): Promise<SigningKeys>;
    /** How requests are signed. @default by the credentials; a transport that knows its caller needs no signature */
    readonly sign?: typeof signedHeaders;
    readonly requestHandler: {
      // biome-ignore lint/suspicious/noExplicitAny: the SDK's request class, of which only the members below are read
      handle(request: any): Promise<{ readonly response: HandledAnswer }>;
    };
  };
}

interface HandledAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A signature carries the machine's own time, whatever clock the program runs on: AWS compares it with its own. */
const clock = new RealClock();

/** The EC2 and S3 clients would triple a function's bundle for two calls each: these are signed by hand instead. */
export async function sendSigned(
  { config }: SdkNeighbour,
  request: SignedRequest,
  endpoint?: string,
): Promise<SignedAnswer> {
  const { service, method, path, body = '' } = request;
  const url = new URL(endpoint ?? `https://${request.host}`);
  const headers = (config.sign ?? signedHeaders)(
    { method, path, headers: { host: url.host, ...request.headers }, body },
    { service, region: await config.region(), keys: await config.credentials(), now: clock.now() },
  );
  const { response } = await config.requestHandler.handle({
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    method,
    path,
    query: {},
    headers,
    ...(request.body === undefined ? {} : { body }),
  });
  return { status: response.statusCode, headers: response.headers, body: await text(response.body) };
}

async function text(body: unknown): Promise<string> {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString('utf8');
  return await collectText(body as AsyncIterable<Uint8Array>);
}

/** An error as AWS answered it, with its code as name, like the SDK's. */
export function awsFailure(answer: SignedAnswer, what: string): Error {
  const code = /<Code>([^<]*)<\/Code>/.exec(answer.body)?.[1] ?? `Http${answer.status}`;
  const message = /<Message>([^<]*)<\/Message>/.exec(answer.body)?.[1] ?? `AWS answered ${answer.status}`;
  return Object.assign(new Error(`${what}: ${message}`), { name: code });
}

/** `amazonaws.com`, or `amazonaws.com.cn` in China. */
export const dnsSuffix = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');
