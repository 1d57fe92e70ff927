import { createSign, generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { asFetch, createEngine, type Engine } from '@drover/cloud-engine';
import { VirtualClock } from '@drover/core';
import { CodeHost, type CodeHostOptions } from './code-host.ts';
import { underContract } from './http/contract.test-support.ts';
import type { AppInstallation, Job, RunnerSession } from './model.ts';
import type { Connection } from './runners/connections.ts';

export const org = 'example-org';
export const minutes = 60_000;
export const hours = 60 * minutes;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read into responses, whose shape the contract has checked
  readonly body: any;
}

/** Making one takes a second on a busy machine: all apps of a test file share it. */
let keys: KeyPairKeyObjectResult | undefined;

/** A code host on a virtual clock; every response is checked against GitHub's own description. */
export class HostStage {
  readonly clock = new VirtualClock();
  readonly engine: Engine;
  readonly host: CodeHost;
  readonly fetch: typeof fetch;
  /** A personal token with the scope for runners. */
  readonly token = 'ghp_owner';

  constructor(options: Partial<CodeHostOptions> & { readonly seed?: number } = {}) {
    this.engine = createEngine({ clock: this.clock, seed: options.seed ?? 1 });
    this.host = new CodeHost(this.engine, { org, ...options });
    const description = this.host.enterprise ? 'ghes-3.19' : 'api.github.com';
    this.fetch = asFetch(underContract(this.host.handle, description));
    this.host.credentials.addToken(this.token, { account: 'user ID 1', org, mayManageRunners: true });
  }

  async ask(
    route: string,
    options: {
      /** `null` for none. */
      readonly authorization?: string | null;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<Answer> {
    const [method = 'GET', path = '/'] = route.split(' ');
    const { authorization = `token ${this.token}`, body } = options;
    const response = await this.fetch(`${this.host.apiUrl}${path}`, {
      method,
      headers: {
        'user-agent': 'test',
        ...(authorization === null ? {} : { authorization }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, body: text === '' ? undefined : isJson ? JSON.parse(text) : text };
  }

  /** Registers runners directly, without a request for each. */
  register(
    count: number,
    prefix = 'runner-',
    labels: readonly string[] = ['fleet'],
    groupId = 1,
    level = org,
  ): number[] {
    const { token } = this.host.registry.mintToken('registration', 'user ID 1', level);
    return Array.from(
      { length: count },
      (_, index) => this.host.registry.register({ token, name: `${prefix}${index + 1}`, labels, groupId }).id,
    );
  }

  /** Connects a listener that keeps what it gets. */
  connect(runnerId: number): TestListener {
    const listener = new TestListener();
    const connection = this.host.registry.connect(runnerId, listener);
    if (typeof connection === 'string') throw new Error(`the listener was refused: ${connection}`);
    listener.connection = connection;
    return listener;
  }

  /** An app that is installed on the organisation, with its private key. */
  installApp(options: Partial<AppInstallation> = {}): TestApp {
    keys ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { publicKey, privateKey } = keys;
    const installation: AppInstallation = {
      id: 77,
      appId: 4711,
      appSlug: 'fleet-app',
      org,
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      mayManageRunners: true,
      ...options,
    };
    this.host.credentials.install(installation);
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return new TestApp(this.clock, installation, pem);
  }
}

/** A listener under a test's control, which acquires each job that it gets. */
export class TestListener implements RunnerSession {
  readonly jobs: Job[] = [];
  readonly told: string[] = [];
  connection!: Connection;

  deliver(job: Job): void {
    this.jobs.push(job);
    this.connection.run(job).acquire();
  }

  revoked(): void {
    this.told.push('revoked');
  }
}

let jwts = 0;

export class TestApp {
  readonly installation: AppInstallation;
  readonly privateKey: string;
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock, installation: AppInstallation, privateKey: string) {
    this.#clock = clock;
    this.installation = installation;
    this.privateKey = privateKey;
  }

  get tokensPath(): string {
    return `/app/installations/${this.installation.id}/access_tokens`;
  }

  /** Claims that are given replace the good ones; each JWT is another one unless `jti` is given. */
  jwt(claims: Readonly<Record<string, unknown>> = {}, alg = 'RS256'): string {
    const now = Math.floor(this.#clock.now() / 1000);
    jwts += 1;
    const payload = { iat: now - 60, exp: now + 540, iss: String(this.installation.appId), jti: jwts, ...claims };
    const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${segment({ alg, typ: 'JWT' })}.${segment(payload)}`;
    return `Bearer ${unsigned}.${createSign('RSA-SHA256').update(unsigned).sign(this.privateKey, 'base64url')}`;
  }
}

/** A runner that has been given a job. */
export async function withJob(stage: HostStage): Promise<{ listener: TestListener; job: Job }> {
  const [id] = stage.register(1);
  const listener = stage.connect(id!);
  const job = stage.host.registry.queue.enqueue({ durationMs: 10 * minutes });
  await stage.clock.advance(3_000);
  return { listener, job };
}
