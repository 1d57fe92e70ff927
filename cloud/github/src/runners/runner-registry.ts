import type { Engine } from '@drover/cloud-engine';
import { every } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import type { PublicKey } from '../actions-service/runner-keys.ts';
import { type RegistrationTokenKind, RegistrationTokens } from '../credentials/registration-tokens.ts';
import { GitHubError, notFound } from '../http/responses.ts';
import { JobQueue, type JobQueueOptions } from '../jobs/job-queue.ts';
import type { Requester, RunnerRecord, RunnerRemoval, RunnerSession } from '../model.ts';
import { Outage } from '../outage.ts';
import { isOlder, RunnerReleases, type RunnerReleasesOptions } from '../releases/runner-releases.ts';
import { BusyFlag, type BusyFlagOptions, reportedBusy } from './busy-flag.ts';
import { type Connection, Connections, type ConnectRefusal } from './connections.ts';
import { RunnerIndex } from './runner-index.ts';

const hourMs = 3_600_000;
/** docs.github.com, "Communicating with self-hosted runners": not connected for more than 14 days, then removed. */
const removedAfterOfflineMs = 14 * 24 * hourMs;
/** The same page: an ephemeral runner is removed after one day. */
const ephemeralRemovedAfterMs = 24 * hourMs;
/** Given to each runner unless it was configured with `--no-default-labels` (docs.github.com, "Using self-hosted runners in a workflow"). */
const givenLabels = ['self-hosted', 'Linux', 'X64'];

export interface Registration {
  readonly token: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly groupId?: number;
  /** `--no-default-labels` of `config.sh`. */
  readonly noDefaultLabels?: boolean;
  /** Takes the place of a runner of the same name. */
  readonly replace?: boolean;
  readonly ephemeral?: boolean;
  /** Of the runner software. */
  readonly version?: string;
  /** With which the runner signs for its tokens. */
  readonly publicKey?: PublicKey;
}

export interface RunnerRegistryOptions extends JobQueueOptions, RunnerReleasesOptions {
  readonly busyFlag?: BusyFlagOptions;
}

/** The organisation's runners, their tokens, connections and jobs. */
export class RunnerRegistry {
  readonly org: string;
  readonly queue: JobQueue;
  readonly index = new RunnerIndex();
  readonly releases: RunnerReleases;
  readonly outage: Outage;
  readonly #engine: Engine;
  readonly #tokens: RegistrationTokens;
  readonly #connections: Connections;
  readonly #random: Random;
  readonly #deprecated = new Set<string>();
  #allDeprecatedUntil = 0;
  /** Older runner software cannot register (github.blog, changelog of 2026-02-05). */
  minimumVersion = '2.329.0';
  #nextId = 1;
  /** A runner of a scale set is online. */
  onOnline: (runner: RunnerRecord) => void = () => {};

  constructor(engine: Engine, org: string, options: RunnerRegistryOptions = {}) {
    this.#engine = engine;
    this.org = org;
    this.#tokens = new RegistrationTokens(engine.clock, engine.random.fork('platform.tokens'));
    const outage = new Outage(engine);
    this.outage = outage;
    const busyFlag = new BusyFlag(engine.random.fork('platform.busy'), options.busyFlag);
    const parts = {
      busyFlag,
      outage,
      changed: (runner: RunnerRecord) => this.index.touch(runner),
      consumed: (runner: RunnerRecord) => this.#consume(runner),
    };
    this.queue = new JobQueue(engine, parts, options);
    this.#random = engine.random.fork('platform.clients');
    const changed = (runner: RunnerRecord, what: 'online' | 'offline') => {
      this.index.touch(runner);
      this.#note(runner, what);
      if (what === 'online' && runner.scaleSetId !== undefined) this.onOnline(runner);
    };
    const isDeprecated = (version: string | undefined) => version !== undefined && this.#isDeprecated(version);
    this.releases = new RunnerReleases(engine.clock, () => this.#connections.deprecate(this.runners), options);
    this.#connections = new Connections(engine, { queue: this.queue, outage, isDeprecated, changed });
    every(engine.clock, hourMs, () => this.#tidy());
  }

  /** In the order of their ids. */
  get runners(): readonly RunnerRecord[] {
    return this.index.all;
  }

  /** Whether polls fail, now and until an outage is over. */
  get isDown(): boolean {
    return this.outage.lasts('message');
  }

  find(id: number): RunnerRecord {
    const runner = this.index.get(id);
    if (runner === undefined) throw notFound();
    return runner;
  }

  isOnline(runner: RunnerRecord): boolean {
    return runner.session !== undefined;
  }

  reportedBusy(runner: RunnerRecord): boolean {
    return reportedBusy(runner.busyReports, this.#engine.clock.now());
  }

  /** A token that lives an hour. */
  mintToken(
    kind: RegistrationTokenKind,
    account = 'user ID 1',
    level: string = this.org,
  ): { readonly token: string; readonly expiresAt: number } {
    return this.#tokens.mint(kind, account, level);
  }

  /** The level that a registration token was made for: an organisation, `owner/repository`, or `enterprises/name`. */
  levelOf(token: string): string {
    return this.#tokens.levelOf(token) ?? this.org;
  }

  /**
   * The owner of a registration or remove token; unknown, expired and wrong ones do not exist (actions/runner issue
   * 1748).
   */
  accountOf(token: string, kind: RegistrationTokenKind): string {
    const account = this.#tokens.accountOf(token, kind);
    if (account === undefined) throw new GitHubError(404, 'Not Found', { page: 'rest' });
    return account;
  }

  /** Registers a runner, as `config.sh` does. */
  register(registration: Registration): RunnerRecord {
    this.accountOf(registration.token, 'registration');
    const { version } = registration;
    if (version !== undefined && isOlder(version, this.minimumVersion))
      throw new GitHubError(404, `${belowMinimum} ${this.minimumVersion}.`, { page: 'rest' });
    const standing = this.index.named(registration.name);
    if (standing === undefined) return this.#enrol(registration);
    if (registration.replace === true) return this.#replace(standing, registration);
    throw new GitHubError(409, `A runner exists with the same name ${registration.name}.`, { page: 'rest' });
  }

  /** A just-in-time configuration was made: its runner takes one job of the scale set. Undefined: the name is taken. */
  registerFor(
    scaleSet: {
      readonly id: number;
      readonly level: string;
      readonly groupId: number;
      readonly labels: readonly string[];
    },
    name: string,
  ): RunnerRecord | undefined {
    if (this.index.named(name) !== undefined) return undefined;
    const { groupId, labels } = scaleSet;
    return this.#enrol({ token: '', name, labels, groupId, noDefaultLabels: true, ephemeral: true }, scaleSet);
  }

  /** The Actions service removes a runner, for good, at once and whatever the API says of `busy`. */
  withdraw(runner: RunnerRecord, by?: Requester): void {
    this.#drop(runner, { at: this.#engine.clock.now(), why: 'api', ...(by === undefined ? {} : { by }) });
  }

  /** Unregisters a runner, as `config.sh remove` does: the machine itself gives its runner up. */
  unregister(token: string, id: number, by: Requester): void {
    this.accountOf(token, 'remove');
    this.#drop(this.find(id), { at: this.#engine.clock.now(), why: 'unregistered', by });
  }

  /** A listener connects. `clientId`: as its registration gave it; one that was replaced since is void. */
  connect(runnerId: number, session: RunnerSession, clientId?: string): Connection | ConnectRefusal {
    const runner = this.index.get(runnerId);
    const known = clientId === undefined || runner?.clientId === clientId;
    return this.#connections.open(known ? runner : undefined, session);
  }

  /** GitHub serves a version of the runner software no more; listeners learn it at their next poll. */
  deprecate(version: string): void {
    this.#deprecated.add(version);
    this.#connections.deprecate(this.runners);
  }

  /** An incident, as on 2026-08-06 (actions/runner issue 4613): every version is called deprecated for `forMs`. */
  callAllDeprecated(forMs: number): void {
    this.#allDeprecatedUntil = this.#engine.clock.now() + forMs;
    this.#connections.deprecate(this.runners);
  }

  #isDeprecated(version: string): boolean {
    return (
      this.#engine.clock.now() < this.#allDeprecatedUntil ||
      this.#deprecated.has(version) ||
      this.releases.isRetired(version)
    );
  }

  /**
   * DELETE: refused while GitHub believes that a job runs; it may not know yet, then it succeeds (docs.github.com,
   * "Delete a self-hosted runner from an organization"; the message is that of cybozu-go/meows issue 136).
   */
  remove(id: number, by?: Requester): void {
    const runner = this.find(id);
    if (this.reportedBusy(runner))
      throw new GitHubError(422, `Bad request - Runner "${runner.name}" is still running a job"`);
    this.#drop(runner, { at: this.#engine.clock.now(), why: 'api', ...(by === undefined ? {} : { by }) });
  }

  /** PUT of labels: all that can be taken away are replaced. A job that it has is its own for good. */
  setLabels(id: number, labels: readonly string[]): RunnerRecord {
    const runner = this.find(id);
    const readOnly = runner.labels.slice(0, runner.readOnlyLabels);
    runner.labels = [...new Set([...readOnly, ...labels])];
    this.queue.relabelled(runner);
    this.index.touch(runner);
    this.#note(runner, 'labels set');
    return runner;
  }

  #enrol(registration: Registration, scaleSet?: { readonly id: number; readonly level: string }): RunnerRecord {
    const now = this.#engine.clock.now();
    const runner: RunnerRecord = {
      id: this.#nextId++,
      name: registration.name,
      level: scaleSet?.level ?? this.levelOf(registration.token),
      os: 'Linux',
      ...labelsOf(registration),
      groupId: registration.groupId ?? 1,
      ...(scaleSet === undefined ? {} : { scaleSetId: scaleSet.id }),
      createdAt: now,
      clientId: this.#random.uuid(),
      ephemeral: registration.ephemeral === true,
      publicKey: registration.publicKey,
      version: undefined,
      session: undefined,
      offlineSince: now,
      listenerStop: undefined,
      removal: undefined,
      job: undefined,
      busyReports: [],
      revision: 0,
    };
    this.index.add(runner);
    this.#note(runner, 'registered');
    return runner;
  }

  /** The id and the group stay as they were, whatever group was asked for (actions/runner issue 4091). */
  #replace(runner: RunnerRecord, registration: Registration): RunnerRecord {
    this.#connections.cutOff(runner);
    this.queue.loseJobOf(runner, 'runner-replaced');
    Object.assign(runner, labelsOf(registration), {
      clientId: this.#random.uuid(),
      ephemeral: registration.ephemeral === true,
      publicKey: registration.publicKey,
    });
    runner.offlineSince = this.#engine.clock.now();
    runner.listenerStop = undefined;
    this.index.touch(runner);
    this.#note(runner, 'replaced');
    return runner;
  }

  #drop(runner: RunnerRecord, removal: RunnerRemoval): void {
    runner.removal = removal;
    this.index.delete(runner);
    this.#connections.cutOff(runner);
    this.queue.loseJobOf(runner, 'runner-removed');
    this.#note(runner, removal.why === 'forgotten' ? 'forgotten' : 'removed', removal.by?.origin.name);
  }

  /** Its listener is not notified: it finds nothing to do and ends by itself, unless it never got its job. */
  #consume(runner: RunnerRecord): void {
    if (runner.removal !== undefined) return;
    runner.removal = { at: this.#engine.clock.now(), why: 'consumed' };
    this.index.delete(runner);
    this.queue.withdraw(runner);
    this.#note(runner, 'consumed');
  }

  #tidy(): void {
    const now = this.#engine.clock.now();
    this.queue.dropOverdue();
    for (const runner of this.runners)
      if (runner.session === undefined && now - runner.offlineSince >= longestOfflineMs(runner))
        this.#drop(runner, { at: now, why: 'forgotten' });
  }

  #note(runner: RunnerRecord, name: string, by?: string): void {
    const detail = { id: runner.id, ...(by === undefined ? {} : { by }) };
    this.#engine.journal.record({ kind: 'transition', source: 'platform.runner', name, subject: runner.name, detail });
  }
}

/** GitHub's message to software that is too old; `config.sh` shows it in a frame. */
const belowMinimum = 'The minimum runner version required to register with GitHub Actions is now';

const longestOfflineMs = ({ ephemeral }: RunnerRecord) => (ephemeral ? ephemeralRemovedAfterMs : removedAfterOfflineMs);

function labelsOf(registration: Registration): Pick<RunnerRecord, 'labels' | 'readOnlyLabels'> {
  const given = registration.noDefaultLabels === true ? [] : givenLabels;
  return { labels: [...new Set([...given, ...registration.labels])], readOnlyLabels: given.length };
}
