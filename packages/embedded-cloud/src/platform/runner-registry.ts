import type { Random } from '@drover/core';
import type { Engine } from '../engine/engine.ts';
import { every } from '../engine/engine.ts';
import { notFound, PlatformError } from './answers.ts';
import { BusyFlag, type BusyFlagOptions, reportedBusy } from './busy-flag.ts';
import { JobQueue, type JobQueueOptions, type JobRun } from './job-queue.ts';
import type { Job, ListenerStop, PlatformRunner, Requester, RunnerRemoval, RunnerSession } from './model.ts';
import { Outage } from './outage.ts';
import { type RegistrationTokenKind, RegistrationTokens } from './registration-tokens.ts';

const hourMs = 3_600_000;
/** docs.github.com, "Communicating with self-hosted runners": not connected for more than 14 days, then removed. */
const removedAfterOfflineMs = 14 * 24 * hourMs;
/** A connection that was lost without a word is noticed after this. */
const noticedAfterMs = 60_000;
/** A listener's goodbye reaches the platform within this; until then jobs may still be sent to it. */
const mostGoodbyeMs = 2_000;
/** docs.github.com, "Communicating with self-hosted runners": a long poll lasts 50 s; then it learns that it was removed. */
const longPollMs = 50_000;
/** Three labels are given to each runner (docs.github.com, "Using labels with self-hosted runners"). */
const givenLabels = ['self-hosted', 'Linux', 'X64'];

export interface Registration {
  readonly token: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly groupId?: number;
  /** Takes the place of a runner of the same name. */
  readonly replace?: boolean;
}

/** A listener's connection. */
export interface Connection {
  /** The listener says goodbye. */
  close(): void;
  /** The listener is gone without a word. */
  vanish(): void;
  run(job: Job): JobRun;
}

/**
 * `unknown-runner`: its registration was deleted, trying again is in vain. `session-exists`: the connection before is
 * not known to be lost yet. `unreachable`: the platform is down.
 */
export type ConnectRefusal = 'unknown-runner' | 'session-exists' | 'unreachable';

export interface RunnerRegistryOptions extends JobQueueOptions {
  readonly busyFlag?: BusyFlagOptions;
}

/** The organisation's runners, their tokens, connections and jobs. */
export class RunnerRegistry {
  readonly org: string;
  readonly queue: JobQueue;
  readonly #engine: Engine;
  readonly #random: Random;
  readonly #outage: Outage;
  readonly #tokens: RegistrationTokens;
  readonly #byId = new Map<number, PlatformRunner>();
  readonly #byName = new Map<string, PlatformRunner>();
  #list: readonly PlatformRunner[] | undefined;
  #groups = new Map<number, readonly PlatformRunner[]>();
  #nextId = 1;
  #revision = 1;
  #membership = 1;

  constructor(engine: Engine, org: string, options: RunnerRegistryOptions = {}) {
    this.#engine = engine;
    this.#random = engine.random.fork('platform.registry');
    this.org = org;
    this.#outage = new Outage(engine);
    this.#tokens = new RegistrationTokens(engine.clock, engine.random.fork('platform.tokens'));
    const busyFlag = new BusyFlag(engine.random.fork('platform.busy'), options.busyFlag);
    const changed = (runner: PlatformRunner) => this.#touch(runner);
    this.queue = new JobQueue(engine, { busyFlag, outage: this.#outage, changed }, options);
    every(engine.clock, hourMs, () => this.#tidy());
  }

  /** In the order of their ids. */
  get runners(): readonly PlatformRunner[] {
    this.#list ??= [...this.#byId.values()];
    return this.#list;
  }

  inGroup(groupId: number): readonly PlatformRunner[] {
    let members = this.#groups.get(groupId);
    if (members === undefined) {
      members = this.runners.filter((runner) => runner.groupId === groupId);
      this.#groups.set(groupId, members);
    }
    return members;
  }

  /** Grows whenever something changes that the API shows, apart from `busy`, which changes by itself as time passes. */
  get revision(): number {
    return this.#revision;
  }

  /** Grows whenever a runner comes or goes. */
  get membership(): number {
    return this.#membership;
  }

  find(id: number): PlatformRunner {
    const runner = this.#byId.get(id);
    if (runner === undefined) throw notFound();
    return runner;
  }

  findByName(name: string): PlatformRunner | undefined {
    return this.#byName.get(name);
  }

  isOnline(runner: PlatformRunner): boolean {
    return runner.session !== undefined;
  }

  reportedBusy(runner: PlatformRunner): boolean {
    return reportedBusy(runner.busyReports, this.#engine.clock.now());
  }

  /** A token that lives an hour. */
  mintToken(
    kind: RegistrationTokenKind,
    account = 'user ID 1',
  ): { readonly token: string; readonly expiresAt: number } {
    return this.#tokens.mint(kind, account);
  }

  /** Whose registration or remove token this is; unknown, expired and wrong ones do not exist (actions/runner issue 1748). */
  accountOf(token: string, kind: RegistrationTokenKind): string {
    const account = this.#tokens.accountOf(token, kind);
    if (account === undefined) throw new PlatformError(404, 'Not Found', { page: 'rest' });
    return account;
  }

  /** What `config.sh` does. */
  register(registration: Registration): PlatformRunner {
    this.accountOf(registration.token, 'registration');
    const standing = this.#byName.get(registration.name);
    if (standing === undefined) return this.#enrol(registration);
    if (registration.replace === true) return this.#replace(standing, registration);
    throw new PlatformError(409, `A runner exists with the same name ${registration.name}.`, { page: 'rest' });
  }

  /** What `config.sh remove` does: the machine itself gives its runner up. */
  unregister(token: string, id: number, by: Requester): void {
    this.accountOf(token, 'remove');
    this.#drop(this.find(id), { at: this.#engine.clock.now(), why: 'unregistered', by });
  }

  /** A listener connects. */
  connect(runnerId: number, session: RunnerSession): Connection | ConnectRefusal {
    if (this.#outage.strikes('connect')) return 'unreachable';
    const runner = this.#byId.get(runnerId);
    if (runner === undefined) return 'unknown-runner';
    if (runner.session !== undefined) return 'session-exists';
    runner.session = session;
    runner.listenerStop = undefined;
    this.#touch(runner);
    this.#note(runner, 'online');
    if (runner.job === undefined) this.queue.offer(runner);
    return this.#connection(runner, session);
  }

  /**
   * DELETE: refused while the platform believes that a job runs; it may not know yet, then it succeeds (docs.github.com,
   * "Delete a self-hosted runner from an organization"; the message is that of cybozu-go/meows issue 136).
   */
  remove(id: number, by?: Requester): void {
    const runner = this.find(id);
    if (this.reportedBusy(runner))
      throw new PlatformError(422, `Bad request - Runner "${runner.name}" is still running a job"`);
    this.#drop(runner, { at: this.#engine.clock.now(), why: 'api', ...(by === undefined ? {} : { by }) });
  }

  #enrol(registration: Registration): PlatformRunner {
    const now = this.#engine.clock.now();
    const runner: PlatformRunner = {
      id: this.#nextId++,
      name: registration.name,
      org: this.org,
      os: 'Linux',
      labels: allLabels(registration),
      groupId: registration.groupId ?? 1,
      createdAt: now,
      session: undefined,
      offlineSince: now,
      listenerStop: undefined,
      removal: undefined,
      job: undefined,
      busyReports: [],
      revision: 0,
    };
    this.#byId.set(runner.id, runner);
    this.#byName.set(runner.name, runner);
    this.#membershipChanged(runner);
    this.#note(runner, 'registered');
    return runner;
  }

  /** The id and the group stay as they were, whatever group was asked for (actions/runner issue 4091). */
  #replace(runner: PlatformRunner, registration: Registration): PlatformRunner {
    this.#cutOff(runner);
    this.queue.loseJobOf(runner, 'runner-replaced');
    runner.labels = allLabels(registration);
    runner.offlineSince = this.#engine.clock.now();
    runner.listenerStop = undefined;
    this.#touch(runner);
    this.#note(runner, 'replaced');
    return runner;
  }

  #drop(runner: PlatformRunner, removal: RunnerRemoval): void {
    runner.removal = removal;
    this.#byId.delete(runner.id);
    this.#byName.delete(runner.name);
    this.#cutOff(runner);
    this.queue.loseJobOf(runner, 'runner-removed');
    this.#membershipChanged(runner);
    this.#note(runner, removal.why === 'forgotten' ? 'forgotten' : 'removed', removal.by?.origin.name);
  }

  /** The listener learns at the end of its long poll that its registration is gone. */
  #cutOff(runner: PlatformRunner): void {
    const { session } = runner;
    this.queue.withdraw(runner);
    runner.session = undefined;
    if (session === undefined) return;
    this.#engine.clock.after(this.#random.int(0, longPollMs), () => session.revoked());
  }

  #connection(runner: PlatformRunner, session: RunnerSession): Connection {
    const stop = (how: ListenerStop['how'], afterMs: number) => {
      if (runner.session !== session || runner.listenerStop !== undefined) return;
      runner.listenerStop = { at: this.#engine.clock.now(), how };
      this.#engine.clock.after(afterMs, () => this.#disconnect(runner, session));
    };
    return {
      close: () => {
        const heard = !this.#outage.strikes('connect');
        if (heard) stop('goodbye', this.#random.int(0, mostGoodbyeMs));
        else stop('silent', noticedAfterMs);
      },
      vanish: () => stop('silent', noticedAfterMs),
      run: (job) => this.queue.run(job),
    };
  }

  #disconnect(runner: PlatformRunner, session: RunnerSession): void {
    if (runner.session !== session) return;
    runner.session = undefined;
    runner.offlineSince = this.#engine.clock.now();
    this.queue.withdraw(runner);
    this.#touch(runner);
    this.#note(runner, 'offline');
    this.queue.loseJobOf(runner, runner.listenerStop?.how === 'goodbye' ? 'listener-stopped' : 'runner-vanished');
  }

  #tidy(): void {
    const now = this.#engine.clock.now();
    this.queue.dropOverdue();
    for (const runner of this.runners)
      if (runner.session === undefined && now - runner.offlineSince >= removedAfterOfflineMs)
        this.#drop(runner, { at: now, why: 'forgotten' });
  }

  #touch(runner: PlatformRunner): void {
    this.#revision += 1;
    runner.revision = this.#revision;
  }

  #membershipChanged(runner: PlatformRunner): void {
    this.#touch(runner);
    this.#membership += 1;
    this.#list = undefined;
    this.#groups.clear();
  }

  #note(runner: PlatformRunner, name: string, by?: string): void {
    const detail = { id: runner.id, ...(by === undefined ? {} : { by }) };
    this.#engine.journal.record({ kind: 'transition', source: 'platform.runner', name, subject: runner.name, detail });
  }
}

const allLabels = (registration: Registration): readonly string[] => [
  ...new Set([...givenLabels, ...registration.labels]),
];
