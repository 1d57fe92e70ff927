import type { Clock } from '@drover/core';
import { registrationOver, type ServiceRequest, serviceClient } from '../http-pipelines.ts';
import type { AcquiredJob, JobService, Message, Pipelines, RunnerIdentity, Session } from '../ports.ts';

/** A poll lasts 50 seconds on the other side. */
const pollTimeoutMs = 80_000;
const requestTimeoutMs = 60_000;

/** The clock of the runner software, and how much faster than real time it is. */
export interface Pace {
  readonly clock: Clock;
  readonly speed: number;
}

/** GitHub's side over HTTP. */
export function wirePipelines(pace: Pace, version: string): Pipelines {
  const client = serviceClient(fetch, version);
  const patient: typeof client = (request) =>
    within(pace, requestTimeoutMs, undefined, (signal) => client({ ...request, signal }));
  return {
    ...registrationOver(patient),
    async openSession(identity) {
      const ask = asker(pace, version, identity);
      const { agentId } = identity;
      const { status, body } = await ask('POST', 'broker/session', { body: { agentId, version } });
      if (status === 409) return 'conflict';
      if (status >= 400) return 'registration-deleted';
      return wireSession(ask, identity, body.sessionId);
    },
  };
}

type Ask = ReturnType<typeof asker>;

/** The least time that a request of this machine may take, however much shorter waits are. */
const leastTimeoutMs = 10_000;

/** Gives a request a time, and another signal that ends it. */
async function within<T>(
  { clock, speed }: Pace,
  ms: number,
  other: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const give = () => abort.abort(other?.reason);
  const timer = clock.after(Math.max(ms, leastTimeoutMs * speed), () =>
    abort.abort(new Error('The request timed out')),
  );
  other?.addEventListener('abort', give, { once: true });
  try {
    return await act(abort.signal);
  } finally {
    timer.cancel();
    other?.removeEventListener('abort', give);
  }
}

function asker(pace: Pace, version: string, { serviceUrl, clientId }: Pick<RunnerIdentity, 'serviceUrl' | 'clientId'>) {
  const client = serviceClient(fetch, version);
  const authorization = `Bearer ${clientId}`;
  return (
    method: ServiceRequest['method'],
    path: string,
    { body, signal, ms = requestTimeoutMs }: { body?: object; signal?: AbortSignal; ms?: number } = {},
  ) =>
    within(pace, ms, signal, (either) =>
      client({ method, url: `${serviceUrl}/${path}`, authorization, signal: either, ...(body && { body }) }),
    );
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
export function wireJob(pace: Pace, identity: RunnerIdentity, jobId: number): JobService {
  return jobOver(asker(pace, identity.version, identity), jobId);
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
