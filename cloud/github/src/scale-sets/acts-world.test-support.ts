import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createEngine, type HttpHandler, type HttpRequest } from '@drover/cloud-engine';
import { RealClock, VirtualClock } from '@drover/core';
import { CodeHost } from '../code-host.ts';
import type { Job, RunnerSession } from '../model.ts';
import type { Connection } from '../runners/connections.ts';

export const repository = 'app';

/**
 * The requests of GitHub's own client (`test/outside/scaleset.outside.test.ts` keeps it), as `ActsWorld.requests` has
 * it: another client that goes through the same acts (names `linux`, `i-1`, owner `outside`) must send nothing else for
 * them.
 */
export function requestsOfOfficialClient(of: 'github' | 'enterprise-server'): readonly string[] {
  const file = new URL(`../../test/outside/scaleset/requests-${of}.txt`, import.meta.url);
  return readFileSync(file, 'utf8').trim().split('\n');
}

/**
 * The world of a client of scale sets that goes through its acts: a code host, and what jobs and runners do meanwhile (`play`). Every
 * request is noted in a form that can be compared with those of another client. Time passes only while a poll is open.
 */
export class ActsWorld {
  readonly token = 'ghp_outside';
  readonly clock = new VirtualClock(new RealClock().now());
  readonly host: CodeHost;
  readonly #requests = new Set<string>();
  readonly #jobs = new Map<string, { readonly job: Job; readonly connection: Connection }>();
  #open = true;

  constructor(options: { readonly apiUrl?: string } = {}) {
    this.host = new CodeHost(createEngine({ clock: this.clock }), { org: 'example-org', ...options });
    const { credentials, org } = this.host;
    credentials.addToken(this.token, { account: 'user ID 1', org, mayManageRunners: true });
  }

  installApp(): { readonly appId: number; readonly installationId: number; readonly privateKey: string } {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const [appId, id, { org }] = [4711, 77, this.host];
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    this.host.credentials.install({ id, appId, appSlug: 'outside', org, publicKey: key, mayManageRunners: true });
    return { appId, installationId: id, privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() };
  }

  /** Each request once, in alphabetical order: method, path, query and body without what differs by chance. */
  get requests(): readonly string[] {
    return [...this.#requests].sort();
  }

  /** For clients that take loopback for an Enterprise Server the API is below /api/v3 also where it is github.com's. */
  readonly handle: HttpHandler = (request) => {
    const path = this.host.enterprise ? request.path : request.path.replace(/^\/api\/v3/, '');
    this.#requests.add(comparable(request));
    return this.host.handle({ ...request, path });
  };

  /** Lets polls go on until the world is closed. */
  async letTimePass(): Promise<void> {
    const real = new RealClock();
    while (this.#open) {
      if (this.host.scaleSets.all.some(({ session }) => session?.poll !== undefined)) await this.clock.advance(500);
      await real.sleep(2);
    }
  }

  close(): void {
    this.#open = false;
  }

  /** The events in the world at a step of the client. */
  async play(step: string, value: unknown): Promise<void> {
    const { queue } = this.host.registry;
    const enqueue = () => queue.enqueue({ durationMs: 60_000, runsOn: ['linux'], repository: 'example-org/app' });
    if (step === 'job') enqueue();
    if (step === 'three jobs') for (let count = 0; count < 3; count++) enqueue();
    if (step === 'token expires')
      for (const set of this.host.scaleSets.all) this.host.scaleSets.sessions.expireToken(set);
    if (step === 'runner starts') await this.#startRunner((value as { encodedJITConfig: string }).encodedJITConfig);
    if (step === 'job completes') this.#complete('i-1');
    if (step === 'job started') this.#complete(String(value));
  }

  /** As the runner software reads its configuration. */
  async #startRunner(jitConfig: string): Promise<void> {
    const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
    const files = decode(jitConfig);
    const { AgentId, AgentName } = decode(files['.runner']);
    const { Data } = decode(files['.credentials']);
    const session: RunnerSession = {
      deliver: (job) => {
        const run = connection.run(job);
        run.acquire();
        run.started();
        this.#jobs.set(AgentName, { job, connection });
      },
      revoked: () => {},
    };
    const connection = this.host.registry.connect(Number(AgentId), session, Data.ClientId) as Connection;
    if (typeof connection === 'string') throw new Error(`the runner was refused: ${String(connection)}`);
    await this.clock.advance(5_000);
  }

  #complete(runner: string): void {
    const { job, connection } = this.#jobs.get(runner)!;
    connection.run(job).complete();
  }
}

const sorted = (value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, one]) => [key, sorted(one)]),
      );

/** Numbers that the service gave out, the caller's address and the place of the service say nothing of the client. */
function comparable({ method, path, query, body }: HttpRequest): string {
  const place = path
    .replace(/^\/api\/v3/, '')
    .replace(/^(\/_services\/pipelines)?(\/[\w-]{40})?(?=\/_apis\/)/, '')
    .replace(/\/(runnerscalesets|agents|message|messages|installations)\/\d+/g, '/$1/{id}');
  const parameters = new URLSearchParams([...new URLSearchParams(query)].sort());
  if (parameters.has('lastMessageId')) parameters.set('lastMessageId', '{id}');
  const text = body.length === 0 ? '' : ` ${JSON.stringify(sorted(JSON.parse(Buffer.from(body).toString('utf8'))))}`;
  return `${method} ${place}${parameters.size === 0 ? '' : `?${decodeURIComponent(parameters.toString())}`}${text}`
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{uuid}')
    .replace(/"url":"https?:\/\/[^/]+/, '"url":"{site}');
}
