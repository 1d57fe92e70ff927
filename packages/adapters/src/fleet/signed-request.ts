import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';

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

/** Borrows region, credentials and transport from an SDK client that is loaded anyway. */
export type SdkNeighbour = Pick<AutoScalingClient, 'config'>;

/** The EC2 and S3 clients would triple a function's bundle for two calls each: these are signed by hand instead. */
export async function sendSigned(
  neighbour: SdkNeighbour,
  request: SignedRequest,
  endpoint?: string,
): Promise<SignedAnswer> {
  const { config } = neighbour;
  const url = new URL(endpoint ?? `https://${request.host}`);
  const region = await config.region();
  const signer = new SignatureV4({
    service: request.service,
    region,
    credentials: config.credentials,
    sha256: config.sha256,
    uriEscapePath: request.service !== 's3',
  });
  const unsigned = new HttpRequest({
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    method: request.method,
    path: request.path,
    headers: { host: url.host, ...request.headers },
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  const signed = (await signer.sign(unsigned)) as HttpRequest;
  const { response } = await config.requestHandler.handle(signed);
  return { status: response.statusCode, headers: response.headers, body: await text(response.body) };
}

async function text(body: unknown): Promise<string> {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString('utf8');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** An error as AWS answered it, with its code as name, like the SDK's. */
export function awsFailure(answer: SignedAnswer, what: string): Error {
  const code = /<Code>([^<]*)<\/Code>/.exec(answer.body)?.[1] ?? `Http${answer.status}`;
  const message = /<Message>([^<]*)<\/Message>/.exec(answer.body)?.[1] ?? `AWS answered ${answer.status}`;
  return Object.assign(new Error(`${what}: ${message}`), { name: code });
}

/** `amazonaws.com`, or `amazonaws.com.cn` in China. */
export const dnsSuffix = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');
