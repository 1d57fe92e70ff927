import { type Answer, HostStage, org } from '../code-host.test-support.ts';
import type { CodeHostOptions } from '../code-host.ts';
import type { ScaleSet } from './scale-set.ts';

/** A code host with a client of its Actions service. */
export class ScaleSetStage extends HostStage {
  serviceUrl = '';
  adminToken = '';
  level = org;

  constructor(options: Partial<CodeHostOptions> & { readonly seed?: number } = {}) {
    super({ busyFlag: { flipChance: 0 }, ...options });
  }

  /** Registration token, then the service's address and token; by the paths of a level. */
  async authenticate(path = `orgs/${org}`, level = org): Promise<Answer> {
    const { body: registration } = await this.ask(`POST /${path}/actions/runners/registration-token`);
    const answer = await this.ask('POST /actions/runner-registration', {
      authorization: `RemoteAuth ${registration.token}`,
      body: { url: `${this.host.webUrl}/${level}`, runner_event: 'register' },
    });
    this.serviceUrl = answer.body.url;
    this.adminToken = answer.body.token;
    return answer;
  }

  /** A call of the service with the admin token, or another one. */
  async call(route: string, options: { readonly body?: unknown; readonly token?: string } = {}): Promise<Answer> {
    const [method, path] = route.split(' ') as [string, string];
    const mark = path.includes('?') ? '&' : '?';
    return await this.request(
      method,
      `${this.serviceUrl}${path}${mark}api-version=6.0-preview`,
      options.token ?? this.adminToken,
      options.body,
    );
  }

  async request(method: string, url: string, token: string, body?: unknown, headers = {}): Promise<Answer> {
    const response = await this.fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'user-agent': 'test',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer()).toString('utf8');
    const text = bytes.replace(/^\uFEFF/, '');
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text.startsWith('{') ? JSON.parse(text) : text,
    };
  }

  async create(name = 'linux', more: object = {}): Promise<ScaleSet> {
    if (this.adminToken === '') await this.authenticate();
    const labels = [{ type: 'System', name }];
    const { body } = await this.call('POST _apis/runtime/runnerscalesets', {
      body: { name, runnerGroupId: 1, labels, RunnerSetting: { disableUpdate: true }, ...more },
    });
    return this.host.scaleSets.get(body.id)!;
  }

  async openSession(set: ScaleSet): Promise<TestSession> {
    const answer = await this.call(`POST ${at(set)}/sessions`, {
      body: { sessionId: '00000000-0000-0000-0000-000000000000', ownerName: 'test' },
    });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body.typeName}`);
    return new TestSession(this, set, answer.body);
  }

  /** A just-in-time runner whose listener is connected and takes what it gets. */
  async addRunner(set: ScaleSet, name: string) {
    const { body } = await this.call(`POST ${at(set)}/generatejitconfig`, { body: { name, workFolder: '_work' } });
    return { id: body.runner.id as number, jitConfig: body.encodedJITConfig as string };
  }
}

export const at = (set: ScaleSet): string => `_apis/runtime/runnerscalesets/${set.id}`;

// biome-ignore lint/suspicious/noExplicitAny: tests read into events
export type TestEvent = any;

/** A session as a client keeps it. */
export class TestSession {
  readonly #stage: ScaleSetStage;
  readonly set: ScaleSet;
  id = '';
  queueUrl = '';
  token = '';
  lastMessageId = 0;
  // biome-ignore lint/suspicious/noExplicitAny: as the service sends it
  opened: any;

  constructor(stage: ScaleSetStage, set: ScaleSet, body: TestEvent) {
    this.#stage = stage;
    this.set = set;
    this.take(body);
  }

  take(body: TestEvent): void {
    this.opened = body;
    this.id = body.sessionId;
    this.queueUrl = body.messageQueueUrl;
    this.token = body.messageQueueAccessToken;
  }

  /** One poll, with time passing until it ends. */
  async poll(capacity = 10, lastMessageId = this.lastMessageId): Promise<Answer & { readonly events: TestEvent[] }> {
    const url = new URL(this.queueUrl);
    if (lastMessageId > 0) url.searchParams.set('lastMessageId', String(lastMessageId));
    let ended = false;
    const polling = this.#stage
      .request('GET', url.href, this.token, undefined, { 'x-scalesetmaxcapacity': String(capacity) })
      .finally(() => {
        ended = true;
      });
    for (let second = 0; second < 60; second++) {
      await this.#stage.clock.advance(0);
      if (ended) break;
      await this.#stage.clock.advance(1_000);
    }
    const answer = await polling;
    const { body } = answer;
    return { ...answer, events: typeof body?.body === 'string' ? JSON.parse(body.body) : [] };
  }

  async acknowledge(messageId: number): Promise<Answer> {
    const url = new URL(this.queueUrl);
    url.pathname += `/${messageId}`;
    return await this.#stage.request('DELETE', url.href, this.token);
  }

  /** Polls, acknowledges and returns `type name` of each event. */
  async next(capacity = 10): Promise<string[]> {
    const { body, events } = await this.poll(capacity);
    if (events.length > 0) {
      this.lastMessageId = body.messageId;
      await this.acknowledge(body.messageId);
    }
    return events.map(({ messageType, jobDisplayName, result }: TestEvent) =>
      [messageType, jobDisplayName, ...(result === undefined ? [] : [result])].join(' '),
    );
  }

  refresh(): Promise<Answer> {
    return this.#stage.call(`PATCH ${at(this.set)}/sessions/${this.id}`);
  }

  close(): Promise<Answer> {
    return this.#stage.call(`DELETE ${at(this.set)}/sessions/${this.id}`);
  }
}
