import { type HttpRequest, type HttpResponse, never } from '@drover/cloud-engine';
import type { Clock, Random } from '@drover/core';
import type { JobRun } from '../jobs/job-queue.ts';
import { leaseMs } from '../jobs/job-queue.ts';
import type { Job } from '../model.ts';
import { type InnerOperation, isAway, type ServiceAnswer } from '../outage.ts';
import type { RunnerRegistry } from '../runners/runner-registry.ts';
import { type Completion, endOf } from './job-end.ts';
import { jobGuid, jobIn, jobMessage } from './job-message.ts';
import { brokerError, empty, json, runServiceError } from './service-responses.ts';
import { TokenEndpoint, usualSkewMs } from './token-endpoint.ts';
import { WireSession } from './wire-session.ts';

/** A job as a runner was given it, and by whose credentials it may be asked for. */
interface Given {
  readonly clientId: string;
  readonly run: JobRun;
}

type Body = Readonly<Record<string, unknown>>;

/** The addresses of the three services, as the caller reaches them; all end in `/`, or the last part would be replaced. */
interface Addresses {
  readonly token: string;
  readonly runService: string;
}

/**
 * The service that the runner software talks to: tokens, sessions, long polls, jobs. GitHub documents none of it; requests and responses are
 * those that its runner sends and understands (BrokerHttpClient.cs, RunServiceHttpClient.cs), and it is run against them. A thin layer: what
 * happens is decided by the registry and the queue, which simulated machines ask without a wire.
 */
export class ActionsService {
  readonly #registry: RunnerRegistry;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #tokens: TokenEndpoint;
  /** By the client whose they are: a runner has one session. */
  readonly #sessions = new Map<string, WireSession>();
  /** Jobs outlive the session in which they were given. */
  readonly #jobs = new Map<number, Given>();

  constructor(registry: RunnerRegistry, clock: Clock, random: Random, clockSkewMs = usualSkewMs) {
    this.#registry = registry;
    this.#clock = clock;
    this.#random = random;
    this.#tokens = new TokenEndpoint(clock, random, clockSkewMs, (clientId) =>
      registry.runners.find((runner) => runner.clientId === clientId),
    );
  }

  /** Undefined for what is no path of this service. `path` is that within the API, `base` the API as the caller reaches it. */
  answer(request: HttpRequest, path: string, base: string): Promise<HttpResponse> | undefined {
    const [, service, operation] = /^\/actions\/(broker|run-service|oauth2)\/(\w+)(?:\/[\w-]+)?$/.exec(path) ?? [];
    if (operation === undefined) return undefined;
    const at: Addresses = { token: `${base}${path}`, runService: `${base}/actions/run-service/` };
    const text = Buffer.from(request.body).toString('utf8');
    if (service === 'oauth2') return this.#token(text, at);
    const clientId = this.#tokens.clientOf(request.headers.authorization);
    if (clientId === undefined) return Promise.resolve(json(401, { message: 'The token is not valid.' }));
    const body = text === '' ? {} : (JSON.parse(text) as Body);
    if (service === 'run-service') return this.#runService(operation, clientId, body, at);
    return this.#broker(`${request.method} ${operation}`, clientId, body, new URLSearchParams(request.query), at);
  }

  async #token(form: string, at: Addresses): Promise<HttpResponse> {
    const answer = this.#registry.outage.answer('token');
    return isAway(answer) ? await this.#away('token') : this.#tokens.answer(new URLSearchParams(form), at.token);
  }

  async #broker(
    operation: string,
    clientId: string,
    body: Body,
    query: URLSearchParams,
    at: Addresses,
  ): Promise<HttpResponse> {
    if (operation === 'POST session') return await this.#open(clientId, body, at);
    if (operation === 'POST acknowledge') return await this.#acknowledge(clientId, body);
    const held = this.#sessions.get(clientId);
    if (operation !== 'GET message' && operation !== 'DELETE session') return json(404, {});
    if (this.#registry.isDown) return await this.#away('message');
    if (operation === 'DELETE session') {
      held?.close();
      return json(200, {});
    }
    if (held === undefined || held.id !== query.get('sessionId'))
      return brokerError(404, 'RunnerSessionInvalid', 'The session is not valid.');
    return (await held.poll()) ?? (await this.#away('message'));
  }

  async #open(clientId: string, { agent }: Body, at: Addresses): Promise<HttpResponse> {
    const { id: agentId, version } = agent as { readonly id: number; readonly version: string };
    const session = new WireSession(this.#random.uuid(), String(version), {
      clock: this.#clock,
      runServiceUrl: at.runService,
      given: (job) => this.#give(clientId, session, job),
      ended: () => {
        if (this.#sessions.get(clientId) === session) this.#sessions.delete(clientId);
      },
      isDown: () => this.#registry.isDown,
    });
    const answer = this.#registry.connect(Number(agentId), session, clientId);
    if (answer === 'unreachable') return await this.#away('connect');
    if (answer === 'unknown-runner') return json(401, { message: 'The registration is deleted.' });
    if (answer === 'session-exists') return json(409, { message: 'A session for this runner already exists.' });
    session.connection = answer;
    session.expectPoll();
    this.#sessions.set(clientId, session);
    return json(200, { sessionId: session.id, ownerName: 'runner', agent });
  }

  #give(clientId: string, session: WireSession, job: Job): void {
    this.#jobs.set(job.id, { clientId, run: session.connection.run(job) });
  }

  async #acknowledge(clientId: string, { runnerRequestId }: Body): Promise<HttpResponse> {
    const answer = this.#ask('acknowledge', clientId, runnerRequestId, (run) => run.acknowledge());
    if (isAway(answer)) return await this.#away('acknowledge');
    return answer === 'ok' ? json(200, {}) : brokerError(404, 'AcknowledgeJobNotFound', 'The job was not found.');
  }

  async #runService(operation: string, clientId: string, body: Body, at: Addresses): Promise<HttpResponse> {
    if (operation === 'acquirejob') return await this.#acquire(clientId, body, at);
    if (operation === 'renewjob') return await this.#renew(clientId, body);
    return operation === 'completejob' ? await this.#complete(clientId, body) : json(404, {});
  }

  async #acquire(clientId: string, { jobMessageId }: Body, at: Addresses): Promise<HttpResponse> {
    const answer = this.#ask('acquirejob', clientId, jobMessageId, (run) => run.acquire());
    if (isAway(answer)) return await this.#away('acquirejob');
    if (answer === 'gone') return runServiceError(404, 'The job was not found.');
    const { job } = this.#jobs.get(jobIn(jobMessageId))!.run;
    const accessToken = this.#tokens.mint(clientId, { orch_id: `${jobGuid(job.id)}.job-${job.id}` });
    return json(200, jobMessage(job, { runServiceUrl: at.runService, accessToken }));
  }

  /** The Worker starts after the first renewal; there is no other request that says so. */
  async #renew(clientId: string, { jobId }: Body): Promise<HttpResponse> {
    const answer = this.#ask('renewjob', clientId, jobId, (run) => {
      const renewed = run.renew();
      if (renewed === 'ok') run.started();
      return renewed;
    });
    if (isAway(answer)) return await this.#away('renewjob');
    if (answer === 'gone') return runServiceError(404, 'The job was not found.');
    return json(200, { planId: jobId, jobId, lockedUntil: new Date(this.#clock.now() + leaseMs).toISOString() });
  }

  async #complete(clientId: string, body: Body): Promise<HttpResponse> {
    const answer = this.#ask('completejob', clientId, body.jobId, (run) =>
      run.complete(endOf(body as Completion, run.job.unanswered)),
    );
    if (isAway(answer)) return await this.#away('completejob');
    this.#jobs.delete(jobIn(body.jobId));
    return answer === 'gone' ? runServiceError(404, 'The job was not found.') : json(200, {});
  }

  #ask(operation: InnerOperation, clientId: string, guid: unknown, ask: (run: JobRun) => ServiceAnswer): ServiceAnswer {
    const given = this.#jobs.get(jobIn(guid));
    if (given?.clientId === clientId) return ask(given.run);
    const answer = this.#registry.outage.answer(operation);
    return answer === 'ok' ? 'gone' : answer;
  }

  /** An error of the service's front, or no response at all. */
  async #away(operation: InnerOperation): Promise<HttpResponse> {
    const { how, status } = this.#registry.outage.away(operation);
    if (how === 'no-answer') return await never;
    // A server cannot refuse its own connection; the runner tries no oftener after an error 500.
    return empty(how === 'refused' ? 500 : status);
  }
}
