import type { Clock } from '@drover/core';
import type { OwnMetadata } from '@drover/runner-fleet';
import { withinTime } from '../../http/within-time.ts';

/** The metadata service responds from the host itself; more than this means that it will not. */
const timeoutMs = 2_000;
const tokenLifeSeconds = 21_600;

/** Instance metadata, version 2: every read carries a session token. */
export function ownMetadata(options: {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly endpoint?: string;
}): OwnMetadata {
  const endpoint = options.endpoint ?? 'http://169.254.169.254';
  let token: { readonly value: string; readonly until: number } | undefined;

  const silent = new Error('the metadata service did not respond');
  const send = (path: string, init: RequestInit): Promise<Response> =>
    withinTime(options.clock, timeoutMs, silent, (signal) => options.fetch(`${endpoint}${path}`, { ...init, signal }));

  async function sessionToken(): Promise<string> {
    if (token === undefined || options.clock.now() >= token.until) {
      const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': String(tokenLifeSeconds) };
      const response = await send('/latest/api/token', { method: 'PUT', headers });
      if (!response.ok) throw new Error(`the metadata service refused a token: ${response.status}`);
      token = { value: await response.text(), until: options.clock.now() + (tokenLifeSeconds - 60) * 1000 };
    }
    return token.value;
  }

  async function read(path: string): Promise<string | undefined> {
    const headers = { 'x-aws-ec2-metadata-token': await sessionToken() };
    const response = await send(`/latest/${path}`, { headers });
    if (response.status === 401) token = undefined;
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`the metadata service returned ${response.status} for ${path}`);
    return await response.text();
  }

  return {
    async instanceId() {
      const id = await read('meta-data/instance-id');
      if (id === undefined) throw new Error('the metadata service knows no instance-id');
      return id;
    },
    targetLifecycleState: () => read('meta-data/autoscaling/target-lifecycle-state'),
    async spotNoticeAt() {
      const notice = await read('meta-data/spot/instance-action');
      return notice === undefined ? undefined : Date.parse((JSON.parse(notice) as { readonly time: string }).time);
    },
    isAtRisk: async () => (await read('meta-data/events/recommendations/rebalance')) !== undefined,
    async launchedAt() {
      const document = await read('dynamic/instance-identity/document');
      const { pendingTime } = JSON.parse(document ?? '{}') as { readonly pendingTime?: string };
      return pendingTime === undefined ? undefined : Date.parse(pendingTime);
    },
  };
}
