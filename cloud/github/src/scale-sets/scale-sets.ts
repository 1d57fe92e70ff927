import type { Engine } from '@drover/cloud-engine';
import type { Requester, RunnerRecord } from '../model.ts';
import type { RunnerRegistry } from '../runners/runner-registry.ts';
import { Assignments } from './assignments.ts';
import { MessageQueue } from './message-queue.ts';
import type { PollAnswer, ScaleSet, ScaleSetSettings, Session, Statistics } from './scale-set.ts';
import { Sessions } from './sessions.ts';

/**
 * Runner scale sets, as the Actions service has them. Programs reach them over HTTP (`service.ts`: registration token, `POST
 * /actions/runner-registration`, then `_apis/…` and the message queue). The owner of a world, a stage, a scenario or a test:
 *
 *   codeHost.registry.queue.enqueue({ durationMs, runsOn: ['linux-large'] })   a job for the set of that name or label; without `runsOn`
 *                                                                              a job asks for `self-hosted`, which no set has by itself
 *   codeHost.scaleSets.all                                                     every set
 *   codeHost.scaleSets.named('linux-large')                                    one of them
 *   codeHost.scaleSets.statistics(set)                                         what its client would read, without faults
 *   codeHost.scaleSets.runners(set)                                            registrations of the set
 *   codeHost.scaleSets.sessions.expireToken(set)                               its token for messages is void: 401, then a refresh
 *   codeHost.scaleSets.evict(set)                                              its session is gone, as after an incident
 *   codeHost.scaleSets.forget(set)                                             the set is gone, with its session and idle runners
 *   new CodeHost(engine, { acquiresJobs: true })                               Enterprise Server's way on any host
 *   codeHost.addGroup('large')                                                 a runner group
 *
 * Jobs are in the same ledger as all others; `job.scaleSetId` is the set that has it, or had it last. Faults are rules like any other:
 *
 *   engine.faults.add({ service: 'platform', operation: 'GET /scalesets/message', effect: { kind: 'error' } })
 *   engine.faults.add({ service: 'platform', operation: …, effect: { kind: 'misbehave', how: … } })
 *
 * where `operation` is the method and a path of `serviceRoutes` (on an Enterprise Server messages are at `…/messages`), and `how` is one
 * of `Misbehaviour`: `empty-answer`, `byte-order-mark`, `session-gone`, `scale-set-gone`, `no-queue-address`, `statistics-high`,
 * `statistics-zero`, `message-ids-restart`; and, for the operation `JobStarted`, `completed-early`.
 */
export class ScaleSets {
  readonly sessions: Sessions;
  readonly assignments: Assignments;
  readonly #engine: Engine;
  readonly #registry: RunnerRegistry;
  readonly #sets = new Map<number, ScaleSet>();
  #nextId = 1;

  constructor(engine: Engine, registry: RunnerRegistry, options: { readonly acquires: boolean }) {
    this.#engine = engine;
    this.#registry = registry;
    this.sessions = new Sessions(engine.clock, engine.random.fork('platform.scale-sets'));
    this.assignments = new Assignments(engine, registry.queue, {
      org: registry.org,
      acquires: options.acquires,
      all: () => this.#sets.values(),
      find: (id) => this.#sets.get(id ?? 0),
      hasSession: (set) => this.sessions.of(set) !== undefined,
    });
    registry.onOnline = (runner) => this.assignments.appeared(runner);
  }

  get all(): readonly ScaleSet[] {
    return [...this.#sets.values()];
  }

  named(name: string): ScaleSet | undefined {
    return this.all.find(({ settings }) => settings.name === name);
  }

  get(id: number): ScaleSet | undefined {
    return this.#sets.get(id);
  }

  /** Undefined: the group has one of this name. */
  create(level: string, settings: ScaleSetSettings): ScaleSet | undefined {
    if (this.#taken(level, settings)) return undefined;
    const now = this.#engine.clock.now();
    const set: ScaleSet = {
      id: this.#nextId++,
      level,
      settings,
      createdAt: now,
      messages: new MessageQueue(() => this.sessions.wake(set)),
      session: undefined,
      maxCapacity: undefined,
      connectedAt: now,
      assigned: new Set(),
      excluded: new WeakSet(),
      announced: new Map(),
    };
    this.#sets.set(set.id, set);
    this.#note(set, 'created');
    this.#watchDormancy(set);
    return set;
  }

  /** False: the group has another of this name. */
  update(set: ScaleSet, settings: ScaleSetSettings): boolean {
    if (this.#taken(set.level, settings, set)) return false;
    set.settings = settings;
    this.assignments.fill(set);
    return true;
  }

  /**
   * False: jobs run. Waiting jobs are free for other runners again; runners without a job go, unless they are
   * connected.
   */
  delete(set: ScaleSet): boolean {
    if (this.statistics(set).totalRunningJobs > 0) return false;
    this.forget(set);
    return true;
  }

  forget(set: ScaleSet): void {
    this.#sets.delete(set.id);
    this.sessions.end(set);
    for (const runner of this.runners(set))
      if (runner.job === undefined && runner.session === undefined) this.#registry.withdraw(runner);
    this.assignments.release(set);
    this.#note(set, 'deleted');
  }

  evict(set: ScaleSet): void {
    this.sessions.end(set);
    this.#note(set, 'session evicted');
  }

  openSession(set: ScaleSet, owner: string): Session | undefined {
    const session = this.sessions.open(set, owner);
    if (session !== undefined) this.assignments.fill(set);
    return session;
  }

  /** The client says how many runners it could have, and waits for news. */
  poll(set: ScaleSet, session: Session, lastMessageId: number, maxCapacity: number): Promise<PollAnswer> {
    set.maxCapacity = maxCapacity;
    this.assignments.fill(set);
    return this.sessions.poll(set, session, lastMessageId);
  }

  runners(set: ScaleSet): readonly RunnerRecord[] {
    return [...this.#registry.index.inScaleSet(set.id)];
  }

  runnerNamed(name: string): RunnerRecord | undefined {
    return this.#registry.index.named(name);
  }

  runnerWithId(id: number): RunnerRecord | undefined {
    return this.#registry.index.get(id);
  }

  /** A just-in-time runner. Undefined: the name is taken. */
  addRunner(set: ScaleSet, name: string): RunnerRecord | undefined {
    const { groupId, labels } = set.settings;
    return this.#registry.registerFor(
      { id: set.id, level: set.level, groupId, labels: labels.map((label) => label.name) },
      name,
    );
  }

  /** Refused (false) while the service knows of a job; one that is unknown is removed already. */
  removeRunner(id: number, by?: Requester): boolean {
    const runner = this.#registry.index.get(id);
    if (runner === undefined) return true;
    if (this.assignments.knowsJobOf(runner)) return false;
    this.#registry.withdraw(runner, by);
    return true;
  }

  statistics(set: ScaleSet): Statistics {
    const runners = this.runners(set);
    const busy = runners.filter(({ job }) => job !== undefined).length;
    const running = [...set.assigned].filter(({ acquiredAt }) => acquiredAt !== undefined).length;
    return {
      totalAvailableJobs: this.assignments.available(set).length,
      totalAcquiredJobs: 0,
      totalAssignedJobs: set.assigned.size,
      totalRunningJobs: running,
      totalRegisteredRunners: runners.length,
      totalBusyRunners: busy,
      totalIdleRunners: runners.filter(({ job, session }) => job === undefined && session !== undefined).length,
    };
  }

  #taken(level: string, { name, groupId }: ScaleSetSettings, own?: ScaleSet): boolean {
    return this.all.some(
      (set) => set !== own && set.level === level && set.settings.groupId === groupId && set.settings.name === name,
    );
  }

  /** A set that no client connected to for a week is deleted (actions/actions-runner-controller, ADR 2022-10-27). */
  #watchDormancy(set: ScaleSet): void {
    const leftMs = set.connectedAt + dormantMs - this.#engine.clock.now();
    this.#engine.clock.after(leftMs, () => {
      if (!this.#sets.has(set.id)) return;
      if (this.#engine.clock.now() - set.connectedAt >= dormantMs) this.forget(set);
      else this.#watchDormancy(set);
    });
  }

  #note({ id, settings }: ScaleSet, name: string): void {
    const subject = settings.name;
    this.#engine.journal.record({ kind: 'transition', source: 'platform.scale-set', name, subject, detail: { id } });
  }
}

const dormantMs = 7 * 24 * 3_600_000;
