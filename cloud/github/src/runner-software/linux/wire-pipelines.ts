import type { Clock } from '@drover/core';
import { registrationOver, type ServiceRequest, serviceClient } from '../http-pipelines.ts';
import type { AcquiredJob, JobService, Message, Pipelines, RunnerIdentity, Session } from '../ports.ts';

/** A poll lasts 50 seconds on the other side. */
const pollTimeoutMs = 80_000;
const requestTimeoutMs = 60_000;

/** GitHub's side over HTTP. */
export function wirePipelines(clock: Clock, version: string, fetcher: typeof fetch = fetch): Pipelines {
  const client = serviceClient(fetcher, version);
  const timeout = () => within(clock, requestTimeoutMs);
  return {
    ...registrationOver(client, timeout),
    async openSession(identity) {
      const ask = asker(clock, version, fetcher, identity);
      const { agentId } = identity;
      const { status, body } = await ask('POST', 'broker/session', { body: { agentId, version } });
      if (status === 409) return 'conflict';
      if (status >= 400) return 'registration-deleted';
      return wireSession(ask, identity, body.sessionId);
    },
  };
}

type Ask = ReturnType<typeof asker>;

/** Aborts after a time, or with another signal. */
function within(clock: Clock, ms: number, other?: AbortSignal): AbortSignal {
  const abort = new AbortController();
  const timer = clock.after(ms, () => abort.abort(new Error('The request timed out')));
  other?.addEventListener('abort', () => abort.abort(other.reason), { once: true });
  abort.signal.addEventListener('abort', () => timer.cancel(), { once: true });
  return abort.signal;
}

function asker(
  clock: Clock,
  version: string,
  fetcher: typeof fetch,
  { serviceUrl, clientId }: Pick<RunnerIdentity, 'serviceUrl' | 'clientId'>,
) {
  const client = serviceClient(fetcher, version);
  return (
    method: ServiceRequest['method'],
    path: string,
    { body, signal, ms = requestTimeoutMs }: { body?: object; signal?: AbortSignal; ms?: number } = {},
  ) =>
    client({
      method,
      url: `${serviceUrl}/${path}`,
      authorization: `Bearer ${clientId}`,
      ...(body === undefined ? {} : { body }),
      signal: within(clock, ms, signal),
    });
}

function wireSession(ask: Ask, { version }: RunnerIdentity, sessionId: string): Session {
  const query = (status: string) =>
    `sessionId=${sessionId}&status=${status}&runnerVersion=${version}&disableUpdate=true`;
  return {
    async nextMessage(status, signal) {
      for (;;) {
        if (signal.aborted) throw signal.reason;
        const answer = await ask('GET', `broker/message?${query(status)}`, { signal, ms: pollTimeoutMs });
        const message = messageOf(answer.status, answer.body);
        if (message !== undefined) return message;
      }
    },
    acknowledge: async (jobId) => okOrGone(await ask('POST', 'broker/acknowledge', { body: { jobId }, ms: 5_000 })),
    async acquire(jobId, signal) {
      const { status, body } = await ask('POST', 'run-service/acquirejob', { body: { jobId }, signal });
      return status === 200 ? (body as AcquiredJob) : 'gone';
    },
    job: (jobId) => jobOver(ask, jobId),
    async close() {
      await ask('DELETE', `broker/session?${query('Online')}`);
    },
  };
}

function messageOf(status: number, body: Readonly<Record<string, unknown>>): Message | undefined {
  if (status === 200) return { kind: 'job', jobId: Number(body.runner_request_id) };
  if (status === 403) return { kind: 'deprecated', text: String(body.message) };
  if (status === 404) return { kind: 'registration-deleted' };
  return status === 400 ? { kind: 'session-expired' } : undefined;
}

/** The run service over HTTP, for one job; the Worker has it from its listener. */
export function wireJob(clock: Clock, identity: RunnerIdentity, jobId: number): JobService {
  return jobOver(asker(clock, identity.version, fetch, identity), jobId);
}

function jobOver(ask: Ask, jobId: number): JobService {
  const post = async (operation: string, body: object = {}) =>
    okOrGone(await ask('POST', `run-service/${operation}`, { body: { jobId, ...body } }));
  return {
    async started() {
      await post('startjob');
    },
    renew: () => post('renewjob'),
    complete: (result) => post('completejob', result),
  };
}

const okOrGone = ({ status }: { readonly status: number }) => (status < 400 ? 'ok' : 'gone');
