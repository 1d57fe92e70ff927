import type { Clock } from '@drover/core/clock';
import { TerminalError, TransientError } from '@drover/core/errors';
import { loadOnce } from '@drover/core/load-once';
import type { InstanceMetadata } from '@drover/search-cluster';
import { type ExchangeResponse, type HttpExchange, noBody } from '../elasticsearch/client/exchange.ts';

export interface MetadataOptions {
  readonly exchange: HttpExchange;
  readonly clock: Clock;
  /** @default the link-local address that every instance has */
  readonly endpoint?: string | undefined;
  /** The service responds from the host itself; more than this means that it will not. @default 2 s */
  readonly timeoutMs?: number;
}

/** Instance metadata, version 2: every read carries a session token (EC2, "Use IMDSv2"). */
export interface MetadataService extends InstanceMetadata {
  region(): Promise<string | undefined>;
  zone(): Promise<string>;
  privateIp(): Promise<string>;
  /** Without its domain. */
  hostName(): Promise<string>;
}

const defaultEndpoint = 'http://169.254.169.254';
const tokenLifeSeconds = '60';
const answerLimit = 64 * 1024;

export function metadataService(options: MetadataOptions): MetadataService {
  const endpoint = new URL(options.endpoint ?? defaultEndpoint);
  let token = loadOnce(() => newToken(options, endpoint));
  const ask = async (path: string, again = true): Promise<string | undefined> => {
    const headers = { 'x-aws-ec2-metadata-token': await token() };
    const answer = await exchange(options, endpoint, 'GET', `/latest/meta-data/${path}`, headers);
    const text = await textOf(answer);
    if (answer.status === 404) return undefined;
    if (answer.status === 401 && again) {
      token = loadOnce(() => newToken(options, endpoint));
      return await ask(path, false);
    }
    if (answer.status !== 200) throw new TransientError(`the metadata service returned ${answer.status} for ${path}`);
    return text;
  };
  const own = async (path: string) => (await ask(path)) ?? fail(`it knows no ${path}`);
  return {
    targetLifecycleState: () => ask('autoscaling/target-lifecycle-state'),
    instanceId: () => own('instance-id'),
    region: () => ask('placement/region'),
    zone: () => own('placement/availability-zone'),
    privateIp: () => own('local-ipv4'),
    hostName: async () => (await own('local-hostname')).split('.')[0]!,
  };
}

async function newToken(options: MetadataOptions, endpoint: URL): Promise<string> {
  const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': tokenLifeSeconds };
  const answer = await exchange(options, endpoint, 'PUT', '/latest/api/token', headers);
  const text = await textOf(answer);
  if (answer.status !== 200) fail(`it returned ${answer.status} to the request for a token`);
  return text;
}

async function exchange(
  options: MetadataOptions,
  endpoint: URL,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<ExchangeResponse> {
  const abort = new AbortController();
  const silent = new Promise<never>((_, reject) =>
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason as Error)),
  );
  const timer = options.clock.after(options.timeoutMs ?? 2_000, () => abort.abort(new Error('no answer')));
  try {
    const request = {
      method,
      protocol: 'http',
      host: endpoint.host,
      path,
      query: '',
      headers: { host: endpoint.host, ...headers },
      body: noBody,
      signal: abort.signal,
    } as const;
    return await Promise.race([options.exchange(request), silent]);
  } catch (error) {
    throw new TransientError(`cannot reach the instance metadata service at ${endpoint.host}`, {
      cause: error,
      remedy: 'run this on an EC2 instance, or set AWS_EC2_METADATA_SERVICE_ENDPOINT',
    });
  } finally {
    timer.cancel();
  }
}

async function textOf({ body }: ExchangeResponse): Promise<string> {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString('utf8').trim();
  let text = '';
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.length > answerLimit) fail('its answer is too long');
  }
  return text.trim();
}

const fail = (why: string): never => {
  throw new TerminalError(`the instance metadata service cannot be used: ${why}`);
};
