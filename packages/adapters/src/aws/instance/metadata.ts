import type { Clock } from '@drover/core/clock';
import { TerminalError, TransientError } from '@drover/core/errors';
import { loadOnce } from '@drover/core/load-once';
import type { InstanceMetadata } from '@drover/search-cluster/ports';
import { type HttpExchange, noBody } from '../../http/exchange.ts';
import { Watch } from '../../http/watch.ts';

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
const responseLimit = 64 * 1024;

export function metadataService(options: MetadataOptions): MetadataService {
  const endpoint = new URL(options.endpoint ?? defaultEndpoint);
  const token = loadOnce(() => newToken(options, endpoint));
  const read = async (path: string, again = true): Promise<string | undefined> => {
    const headers = { 'x-aws-ec2-metadata-token': await token(!again) };
    const { status, text } = await exchange(options, endpoint, 'GET', `/latest/meta-data/${path}`, headers);
    if (status === 404) return undefined;
    if (status === 401 && again) return await read(path, false);
    if (status !== 200) throw new TransientError(`the metadata service returned ${status} for ${path}`);
    return text;
  };
  const own = async (path: string) => (await read(path)) ?? fail(`it knows no ${path}`);
  return {
    targetLifecycleState: () => read('autoscaling/target-lifecycle-state'),
    instanceId: () => own('instance-id'),
    instanceType: () => own('instance-type'),
    region: () => read('placement/region'),
    zone: () => own('placement/availability-zone'),
    privateIp: () => own('local-ipv4'),
    hostName: async () => (await own('local-hostname')).split('.')[0]!,
  };
}

async function newToken(options: MetadataOptions, endpoint: URL): Promise<string> {
  const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': tokenLifeSeconds };
  const { status, text } = await exchange(options, endpoint, 'PUT', '/latest/api/token', headers);
  if (status !== 200) fail(`it returned ${status} to the request for a token`);
  return text;
}

async function exchange(
  options: MetadataOptions,
  endpoint: URL,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly text: string }> {
  const watch = new Watch(options.clock, options.timeoutMs ?? 2_000, undefined);
  const request = {
    method,
    protocol: 'http',
    host: endpoint.host,
    path,
    query: '',
    headers: { host: endpoint.host, ...headers },
    body: noBody,
    signal: watch.signal,
  } as const;
  try {
    const { status, body } = await watch.over(options.exchange(request));
    let text = '';
    await watch.receive(body, (chunk) => {
      text += Buffer.from(chunk).toString('utf8');
      if (text.length > responseLimit) fail('its response is too long');
    });
    return { status, text: text.trim() };
  } catch (error) {
    if (error instanceof TerminalError) throw error;
    throw new TransientError(`cannot reach the instance metadata service at ${endpoint.host}`, {
      cause: error,
      remedy: 'run this on an EC2 instance, or set AWS_EC2_METADATA_SERVICE_ENDPOINT',
    });
  } finally {
    watch.end();
  }
}

const fail = (why: string): never => {
  throw new TerminalError(`the instance metadata service cannot be used: ${why}`);
};
