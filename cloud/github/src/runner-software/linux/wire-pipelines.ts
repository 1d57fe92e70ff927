import type { Clock, Random } from '@drover/core';
import { jobGuid, jobIn } from '../../actions-service/job-message.ts';
import { registrationOver, serviceClient } from '../http-pipelines.ts';
import { acquiredFrom, completionOf } from '../job-messages.ts';
import type { AcquiredJob, JobService, Message, Pipelines, RunnerIdentity, Session } from '../ports.ts';
import { Unreachable } from '../ports.ts';
import { type Answered, type Exchange, WireClient } from './connections.ts';
import { InvalidClient, tokenForm } from './token-client.ts';

/** Of each request, a poll of 50 seconds too (actions/runner, RawClientHttpRequestSettings.cs). */
const requestTimeoutMs = 100_000;
/** The least time that a request of this machine may take, however much shorter waits are. */
const leastTimeoutMs = 10_000;

/** Between sends to the token service (actions/runner, VssOAuthTokenHttpClient.cs). */
const tokenPausesMs = [11_000, 13_000, 17_000, 25_000, 41_000];

/** The clock of the runner software, and how much faster than real time it is. */
export interface Pace {
  readonly clock: Clock;
  readonly random: Random;
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
      const broker = new Caller(pace, version, identity);
      try {
        const { agentId } = identity;
        const { status, body } = await broker.ask('POST', `${identity.serviceUrl}session`, {
          body: { sessionId: jobGuid(0), ownerName: 'runner', agent: { id: agentId, version } },
        });
        if (status === 409) return 'conflict';
        if (status === 401 || status === 403) return 'refused';
        if (status >= 400) throw new Unreachable(`Response status code does not indicate success: ${status}`, 'error');
        return wireSession(pace, broker, identity, String(body.sessionId));
      } catch (error) {
        if (error instanceof InvalidClient) return 'registration-deleted';
        throw error;
      }
    },
  };
}

/** Gives a request a time, and another signal that ends it. */
async function within<T>(
  { clock, speed }: Pace,
  ms: number,
  other: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const tooLate = () => late.abort(new Error('The request timed out'));
  const timer = clock.after(Math.max(ms, leastTimeoutMs * speed), tooLate);
  try {
    return await act(AbortSignal.any([late.signal, ...(other === undefined ? [] : [other])]));
  } finally {
    timer.cancel();
  }
}

type Body = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly body: Body;
}

/** One client of the original: a connection and a token of its own. */
class Caller {
  readonly #pace: Pace;
  readonly #version: string;
  readonly #identity: RunnerIdentity;
  readonly #client = new WireClient();
  /** Asked for when it is needed. */
  token: string | undefined;

  constructor(pace: Pace, version: string, identity: RunnerIdentity, token?: string) {
    this.#pace = pace;
    this.#version = version;
    this.#identity = identity;
    this.token = token;
  }

  /** After a 401 it sends once more, with another token. Errors of the network and of the service itself are `Unreachable`. */
  async ask(
    method: Exchange['method'],
    url: string,
    { body, signal, ms }: { readonly body?: object; readonly signal?: AbortSignal; readonly ms?: number } = {},
  ): Promise<Answer> {
    const send = async () => {
      this.token ??= await this.#newToken();
      const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      return await this.#send(this.#client, { method, url, headers, ...text }, signal, ms);
    };
    const first = await send();
    if (first.status !== 401) return first;
    this.token = undefined;
    return await send();
  }

  close(): void {
    this.#client.close();
  }

  /** Always over a connection of its own. */
  async #newToken(): Promise<string> {
    const { clock, random } = this.#pace;
    const once = new WireClient();
    try {
      const { status, body } = await this.#sixTimes(() =>
        this.#send(once, {
          method: 'POST',
          url: this.#identity.authorizationUrl,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: tokenForm(this.#identity, clock, random),
        }),
      );
      if (status === 400 && body.error === 'invalid_client') throw new InvalidClient(String(body.error_description));
      if (status !== 200) throw new Unreachable(`no token: ${status}`, 'error');
      return String(body.access_token);
    } finally {
      once.close();
    }
  }

  /** The token service is tried on its own, after an error 500, too. */
  async #sixTimes<T>(ask: () => Promise<T>): Promise<T> {
    for (const pauseMs of tokenPausesMs)
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Unreachable) || !['unavailable', 'error'].includes(error.how)) throw error;
        await this.#pace.clock.sleep(pauseMs);
      }
    return await ask();
  }

  async #send(
    client: WireClient,
    exchange: Omit<Exchange, 'signal'>,
    other?: AbortSignal,
    ms = requestTimeoutMs,
  ): Promise<Answer> {
    const headers = { ...exchange.headers, 'user-agent': `GitHubActionsRunner-linux-x64/${this.#version}` };
    let answer: Answered;
    try {
      answer = await within(this.#pace, ms, other, (signal) => client.send({ ...exchange, headers, signal }));
    } catch (error) {
      if (other?.aborted) throw other.reason;
      throw new Unreachable((error as Error).message, howFailed(error as NodeJS.ErrnoException));
    }
    const { status, type, text } = answer;
    if (status >= 500)
      throw new Unreachable(
        `Response status code does not indicate success: ${status}`,
        status === 500 ? 'error' : 'unavailable',
      );
    return { status, body: type.startsWith('application/json') && text !== '' ? (JSON.parse(text) as Body) : {} };
  }
}

function howFailed({ code, name }: NodeJS.ErrnoException): Unreachable['how'] {
  if (code === 'ECONNREFUSED') return 'refused';
  return name === 'AbortError' ? 'no-answer' : 'unavailable';
}

function wireSession(pace: Pace, broker: Caller, identity: RunnerIdentity, sessionId: string): Session {
  const { serviceUrl, version } = identity;
  const query = (status: string) =>
    `sessionId=${sessionId}&status=${status}&runnerVersion=${version}&os=Linux&architecture=X64&disableUpdate=true`;
  /** The run service of each message. */
  const runServices = new Map<number, string>();
  const endpoints = new Map<number, AcquiredJob['endpoint']>();
  return {
    async nextMessage(status, signal) {
      for (;;) {
        if (signal.aborted) throw signal.reason;
        const answer = await broker.ask('GET', `${serviceUrl}message?${query(status)}`, { signal });
        const message = messageOf(answer);
        if (message?.kind === 'job') runServices.set(message.jobId, message.runServiceUrl ?? '');
        if (message !== undefined) return message;
      }
    },
    async acknowledge(jobId) {
      const body = { runnerRequestId: jobGuid(jobId) };
      const answer = await broker.ask('POST', `${serviceUrl}acknowledge?${query('Online')}`, { body, ms: 5_000 });
      return answer.body.errorKind === 'AcknowledgeJobNotFound' ? 'gone' : 'ok';
    },
    async acquire(jobId, signal) {
      const once = new Caller(pace, version, identity);
      try {
        const body = { jobMessageId: jobGuid(jobId), runnerOS: 'Linux', billingOwnerId: 'O_1' };
        const answer = await once.ask('POST', `${runServices.get(jobId)}acquirejob`, { body, signal });
        if (isGone(answer)) return 'gone';
        if (answer.status >= 400) throw new Unreachable(`acquirejob: ${answer.status}`, 'error');
        const job = acquiredFrom(jobId, answer.body);
        endpoints.set(jobId, job.endpoint);
        return job;
      } finally {
        once.close();
      }
    },
    job: (jobId) => wireJob(pace, identity, { id: jobId, endpoint: endpoints.get(jobId) }),
    async refresh() {
      broker.close();
      broker.token = undefined;
    },
    async close() {
      const once = new Caller(pace, version, identity, broker.token);
      broker.close();
      await once.ask('DELETE', `${serviceUrl}session`).finally(() => once.close());
    },
  };
}

/** Refusals are understood by their bodies alone. */
function messageOf({ body }: Answer): Message | undefined {
  if (body.messageType === 'RunnerJobRequest') {
    const said = JSON.parse(String(body.body)) as Readonly<Record<string, string>>;
    return { kind: 'job', jobId: jobIn(said.runner_request_id), runServiceUrl: said.run_service_url ?? '' };
  }
  if (body.errorKind === 'RunnerVersionTooOld') return { kind: 'deprecated', text: String(body.errorMessage) };
  if (body.errorKind === 'RunnerNotFound') return { kind: 'registration-deleted' };
  return body.errorKind === 'RunnerSessionInvalid' ? { kind: 'session-expired' } : undefined;
}

const isGone = ({ body }: Answer) =>
  body.source === 'actions-run-service' && [404, 409, 422].includes(Number(body.statusCode));

/** The run service over HTTP, for one job; the Worker has it from its listener. */
export function wireJob(
  pace: Pace,
  identity: RunnerIdentity,
  { id, endpoint }: Pick<AcquiredJob, 'id' | 'endpoint'>,
): JobService {
  const caller = new Caller(pace, identity.version, identity, endpoint?.accessToken);
  const post = async (operation: string, body: object = {}) => {
    const ids = { planId: jobGuid(id), jobId: jobGuid(id) };
    const answer = await caller.ask('POST', `${endpoint?.url}${operation}`, { body: { ...ids, ...body } });
    if (isGone(answer)) return 'gone';
    if (answer.status >= 400) throw new Unreachable(`${operation}: ${answer.status}`, 'error');
    return 'ok';
  };
  return {
    // The first renewal says it.
    started: async () => {},
    renew: () => post('renewjob'),
    complete: (result) => post('completejob', completionOf(result)),
  };
}
