import type { HttpRequest, HttpResponse } from '@drover/cloud-engine';
import type { Clock, Random } from '@drover/core';
import type { JobEnd, JobRun } from '../jobs/job-queue.ts';
import type { Job } from '../model.ts';
import type { ServiceAnswer } from '../outage.ts';
import type { RunnerRegistry } from '../runners/runner-registry.ts';
import { WireSession } from './wire-session.ts';

/** A job as a runner was given it, and by whose credentials it may be asked for. */
interface Given {
  readonly clientId: string;
  readonly run: JobRun;
}

type Body = Readonly<Record<string, unknown>>;

const statusOf: Readonly<Record<ServiceAnswer, number>> = { ok: 200, gone: 404, unreachable: 503 };

/**
 * The service that the runner software talks to: sessions, long polls, jobs. GitHub documents none of it; the requests are
 * those of its runner (BrokerHttpClient.cs, RunServiceHttpClient.cs), their bodies are ours. A thin layer: what happens is
 * decided by the registry and the queue, which simulated machines ask without a wire.
 */
export class ActionsService {
  readonly #registry: RunnerRegistry;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #sessions = new Map<string, { readonly clientId: string; readonly session: WireSession }>();
  /** Jobs outlive the session in which they were given. */
  readonly #jobs = new Map<number, Given>();

  constructor(registry: RunnerRegistry, clock: Clock, random: Random) {
    this.#registry = registry;
    this.#clock = clock;
    this.#random = random;
  }

  /** Undefined for what is no path of this service. `path` is that within the API. */
  answer(request: HttpRequest, path: string): Promise<HttpResponse> | undefined {
    const [, service, operation] = /^\/actions\/(broker|run-service)\/(\w+)$/.exec(path) ?? [];
    if (operation === undefined) return undefined;
    const clientId = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const body = request.body.length === 0 ? {} : (JSON.parse(Buffer.from(request.body).toString('utf8')) as Body);
    if (service === 'run-service') return Promise.resolve(this.#runService(operation, clientId, body));
    return this.#broker(`${request.method} ${operation}`, clientId, body, new URLSearchParams(request.query));
  }

  async #broker(operation: string, clientId: string, body: Body, query: URLSearchParams): Promise<HttpResponse> {
    if (operation === 'POST session') return this.#open(clientId, body);
    if (operation === 'POST acknowledge') return this.#askJob(clientId, body, (run) => run.acknowledge());
    const held = this.#sessions.get(query.get('sessionId') ?? '');
    if (operation === 'GET message' && this.#registry.isDown) return respond(503, {});
    if (held?.clientId !== clientId) return respond(400, { typeName: 'TaskAgentSessionExpiredException' });
    if (operation === 'DELETE session') {
      held.session.close();
      return respond(200, {});
    }
    const { status, body: message } = await held.session.poll();
    return respond(status, message);
  }

  #open(clientId: string, { agentId, version }: Body): HttpResponse {
    const id = this.#random.uuid();
    const session = new WireSession(id, String(version), {
      clock: this.#clock,
      given: (job) => this.#give(clientId, session, job),
      ended: () => this.#sessions.delete(id),
      isDown: () => this.#registry.isDown,
    });
    const answer = this.#registry.connect(Number(agentId), session, clientId);
    if (answer === 'unreachable') return respond(503, {});
    if (answer === 'unknown-runner') return respond(401, { error: 'invalid_client' });
    if (answer === 'session-exists') return respond(409, { typeName: 'TaskAgentSessionConflictException' });
    session.connection = answer;
    session.expectPoll();
    this.#sessions.set(id, { clientId, session });
    return respond(201, { sessionId: id });
  }

  #give(clientId: string, session: WireSession, job: Job): void {
    this.#jobs.set(job.id, { clientId, run: session.connection.run(job) });
  }

  #runService(operation: string, clientId: string, body: Body): HttpResponse {
    if (operation === 'acquirejob') return this.#askJob(clientId, body, (run) => run.acquire());
    if (operation === 'renewjob') return this.#askJob(clientId, body, (run) => run.renew());
    if (operation === 'completejob') return this.#complete(clientId, body);
    if (operation !== 'startjob') return respond(404, {});
    return this.#askJob(clientId, body, (run) => {
      run.started();
      return 'ok';
    });
  }

  #complete(clientId: string, body: Body): HttpResponse {
    const { because, result, output } = body;
    const end = because === undefined ? { result, ...(output === undefined ? {} : { output }) } : { lost: because };
    const answer = this.#askJob(clientId, body, (run) => run.complete(end as JobEnd));
    if (answer.status !== 503) this.#jobs.delete(Number(body.jobId));
    return answer;
  }

  #askJob(clientId: string, { jobId }: Body, ask: (run: JobRun) => ServiceAnswer): HttpResponse {
    const given = this.#jobs.get(Number(jobId));
    if (given?.clientId !== clientId) return respond(this.#registry.isDown ? 503 : 404, {});
    const answer = ask(given.run);
    const { id, durationMs, script, repository } = given.run.job;
    return respond(statusOf[answer], answer === 'ok' ? { id, name: `job-${id}`, durationMs, script, repository } : {});
  }
}

const respond = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
});
