import {
  ActionsService,
  actionsConnection,
  demandService,
  jitConfigurations,
  type PlatformClient,
  scaleSetRunners,
} from '@drover/adapters/github';
import type { Random, Secret } from '@drover/core';
import {
  type DemandMessage,
  type DemandStatistics,
  emptyMemory,
  type FleetMemory,
  type Memory,
  type MessageSession,
} from '@drover/runner-fleet';
import { nameOf, seconds } from './experiment.ts';
import type { Time } from './lab.ts';

export interface ScaleSetsOptions {
  readonly client: PlatformClient;
  readonly credentials: Parameters<typeof actionsConnection>[0]['credentials'];
  readonly apiUrl: string;
  readonly time: Time;
  readonly random: Random;
  readonly fetch: typeof fetch;
}

/** Scale sets of the organisation, by the clients that a fleet's functions use: one connection for all of them. */
export class ScaleSets {
  readonly #options: ScaleSetsOptions;
  readonly #service: ActionsService;
  readonly #memory = held();

  constructor(options: ScaleSetsOptions) {
    const { time, fetch, ...rest } = options;
    this.#options = options;
    const { clock } = time;
    const connection = actionsConnection({ ...rest, clock, memory: this.#memory, renews: true });
    this.#service = new ActionsService({ connection, clock, fetch, subsystem: 'experiment' });
  }

  /** A set of an experiment that is not made yet; its labels are its name and `more`. */
  of(id: string, suffix = '', more: readonly string[] = []): ScaleSet {
    const name = nameOf(id, suffix);
    const options = { name, labels: [name, ...more], owner: name, runnerGroup: undefined };
    const jit = jitConfigurations(this.#service, this.#memory, options);
    return new ScaleSet(name, demandService(this.#service, options), this.#options.time, async (runner) => {
      const secret = await jit.mint(runner);
      return { secret, remove: () => this.#removeRunner(runner) };
    });
  }

  /** Names of what an experiment has left in the organisation. */
  async left(id: string, suffixes: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(suffixes.map((suffix) => this.of(id, suffix).exists()));
    return suffixes.filter((_, index) => found[index]).map((suffix) => `the scale set ${nameOf(id, suffix)}`);
  }

  async clean(id: string, suffixes: readonly string[]): Promise<void> {
    for (const suffix of suffixes) await this.of(id, suffix).delete();
  }

  async #removeRunner(name: string): Promise<void> {
    const runners = scaleSetRunners(this.#service);
    const id = await runners.find(name);
    if (id !== undefined) await runners.remove(id);
  }
}

type Service = ReturnType<typeof demandService>;

/** One scale set and the session that is open on it. */
export class ScaleSet {
  readonly name: string;
  readonly #service: Service;
  readonly #time: Time;
  readonly #mint: (runner: string) => Promise<{ secret: Secret; remove: () => Promise<void> }>;
  #id = 0;
  #session: MessageSession | undefined;
  #lastMessageId: number | undefined;
  /** Names of jobs that were assigned. */
  readonly #assigned: string[] = [];

  constructor(name: string, service: Service, time: Time, mint: ScaleSet['jit']) {
    this.name = name;
    this.#service = service;
    this.#time = time;
    this.#mint = mint;
  }

  async exists(): Promise<boolean> {
    await this.#service.connect();
    return (await this.#service.findScaleSet()) !== undefined;
  }

  async create(): Promise<this> {
    await this.#service.connect();
    this.#id = (await this.#service.createScaleSet()).id;
    return this;
  }

  /** Opens a session; the statistics are those of the response. */
  async open(): Promise<DemandStatistics | undefined> {
    const opened = await this.#service.openSession(this.#id);
    if (opened === 'scale-set-unknown' || 'heldBy' in opened)
      throw new Error(`the session of ${this.name} was refused: ${JSON.stringify(opened)}`);
    this.#session = opened;
    this.#lastMessageId = undefined;
    return opened.statistics;
  }

  /** Renews the session; `unknown`: it is over. */
  async renew(): Promise<DemandStatistics | undefined | 'unknown'> {
    const renewed = await this.#service.renewSession(this.#id, this.#opened().id);
    if (renewed === 'unknown') return 'unknown';
    this.#session = renewed;
    return renewed.statistics;
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (session !== undefined) await this.#service.closeSession(this.#id, session.id);
  }

  /** One poll that announces this many runners; its message is acknowledged. */
  async poll(ceiling: number, withinMs: number): Promise<DemandMessage | 'nothing' | 'token-expired'> {
    const held = { scaleSetId: this.#id, session: this.#opened() };
    const options = { lastMessageId: this.#lastMessageId, ceiling, withinMs };
    const message = await this.#time.during(this.#service.poll(held, options));
    if (typeof message === 'string') return message;
    this.#lastMessageId = message.id;
    await this.#service.acknowledge(held, message.id);
    this.#assigned.push(...message.events.flatMap(({ kind, name }) => (kind === 'assigned' ? [name] : [])));
    const offered = message.events.filter(({ kind }) => kind === 'available').map(({ requestId }) => requestId);
    if (offered.length > 0) await this.#service.acquire(held, offered);
    return message;
  }

  /**
   * Polls until jobs with all these marks in their names are assigned; returns the seconds that it took, undefined when
   * it was too long.
   */
  async assigned(marks: readonly string[], ceiling: number, limitMs: number): Promise<number | undefined> {
    const begin = this.#time.now();
    while (!marks.every((mark) => this.hasBeenAssigned(mark))) {
      const left = begin + limitMs - this.#time.now();
      if (left <= 0) return undefined;
      if ((await this.poll(ceiling, Math.min(left, seconds(25)))) === 'token-expired') await this.renew();
    }
    return Math.round((this.#time.now() - begin) / 1_000);
  }

  hasBeenAssigned(mark: string): boolean {
    return this.#assigned.some((name) => name.includes(mark));
  }

  /** The just-in-time configuration of a runner of this set. */
  jit(runner: string): Promise<{ secret: Secret; remove: () => Promise<void> }> {
    return this.#mint(runner);
  }

  /** Deletes the set, if it is there, with its session. */
  async delete(): Promise<void> {
    await this.close().catch(() => {});
    await this.#service.connect();
    const found = await this.#service.findScaleSet();
    if (found !== undefined) await this.#service.deleteScaleSet(found.id);
  }

  #opened(): MessageSession {
    if (this.#session === undefined) throw new Error(`${this.name} has no session`);
    return this.#session;
  }
}

/** A fleet memory in this process: the connection is kept nowhere else. */
function held(): FleetMemory {
  let state: Memory = emptyMemory;
  return {
    read: async () => state,
    update: async (change) => {
      state = change(state);
    },
  };
}
