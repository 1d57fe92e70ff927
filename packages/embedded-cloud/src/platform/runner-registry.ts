import type { Engine } from '../engine/engine.ts';
import { every } from '../engine/engine.ts';
import { notFound, PlatformError } from './answers.ts';
import { reportedBusy } from './busy-flag.ts';
import { JobQueue, type JobRun } from './job-queue.ts';
import type { Job, PlatformRunner, RunnerSession } from './model.ts';

const hourMs = 3_600_000;
/** docs.github.com, "Removing self-hosted runners": a runner that was not connected for 14 days is removed. */
const removedAfterOfflineMs = 14 * 24 * hourMs;
/** A lost connection is noticed after this. */
const noticedAfterMs = 60_000;

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
  /** The listener said goodbye. */
  close(): void;
  /** The listener is gone without a word. */
  vanish(): void;
  run(job: Job): JobRun;
}

/** The organisation's runners, their tokens, connections and jobs. */
export class RunnerRegistry {
  readonly org: string;
  readonly queue: JobQueue;
  #engine: Engine;
  #runners = new Map<number, PlatformRunner>();
  #tokens = new Map<string, { readonly kind: 'registration' | 'remove'; readonly expiresAt: number }>();
  #nextId = 1;

  constructor(engine: Engine, org: string) {
    this.#engine = engine;
    this.org = org;
    this.queue = new JobQueue(engine, () => this.#runners.values());
    every(engine.clock, hourMs, () => this.#removeForgotten());
  }

  get runners(): readonly PlatformRunner[] {
    return [...this.#runners.values()];
  }

  find(id: number): PlatformRunner {
    const runner = this.#runners.get(id);
    if (runner === undefined) throw notFound();
    return runner;
  }

  isOnline(runner: PlatformRunner): boolean {
    return runner.session !== undefined;
  }

  reportedBusy(runner: PlatformRunner): boolean {
    return reportedBusy(runner.busyReports, this.#engine.clock.now());
  }

  /** A token that lives an hour. */
  mintToken(kind: 'registration' | 'remove'): { readonly token: string; readonly expiresAt: number } {
    const token = `A${this.#engine.random.hex(28).toUpperCase()}`;
    const expiresAt = this.#engine.clock.now() + hourMs;
    this.#tokens.set(token, { kind, expiresAt });
    for (const [old, { expiresAt: end }] of this.#tokens) if (end <= this.#engine.clock.now()) this.#tokens.delete(old);
    return { token, expiresAt };
  }

  /** What `config.sh` does. */
  register(registration: Registration): PlatformRunner {
    const token = this.#tokens.get(registration.token);
    if (token?.kind !== 'registration' || token.expiresAt <= this.#engine.clock.now())
      throw new PlatformError(404, 'Not Found: the registration token is invalid or expired');
    const standing = this.runners.find(({ name }) => name === registration.name);
    if (standing !== undefined && registration.replace !== true)
      throw new PlatformError(409, `A runner exists with the same name ${registration.name}`);
    if (standing !== undefined) this.#drop(standing, 'replaced');
    const runner: PlatformRunner = {
      id: this.#nextId++,
      name: registration.name,
      org: this.org,
      os: 'Linux',
      labels: ['self-hosted', 'Linux', 'X64', ...registration.labels],
      groupId: registration.groupId ?? 1,
      createdAt: this.#engine.clock.now(),
      session: undefined,
      offlineSince: this.#engine.clock.now(),
      job: undefined,
      busyReports: [],
    };
    this.#runners.set(runner.id, runner);
    this.#note(runner, 'registered');
    return runner;
  }

  /** A listener connects; refused when the runner is not known (any more). */
  connect(runnerId: number, session: RunnerSession): Connection | undefined {
    const runner = this.#runners.get(runnerId);
    if (runner === undefined) return undefined;
    runner.session = session;
    this.#note(runner, 'online');
    this.queue.dispatch();
    return {
      close: () => this.#disconnect(runner, session, 0),
      vanish: () => this.#disconnect(runner, session, noticedAfterMs),
      run: (job) => this.queue.run(job),
    };
  }

  /** DELETE: refused while the platform believes that a job runs; it may not know yet (docs.github.com, "Delete a self-hosted runner"). */
  remove(id: number): void {
    const runner = this.find(id);
    if (this.reportedBusy(runner))
      throw new PlatformError(422, `Runner "${runner.name}" is currently running a job and cannot be deleted.`);
    this.#drop(runner, 'removed');
  }

  #drop(runner: PlatformRunner, why: string): void {
    this.#runners.delete(runner.id);
    this.queue.loseJobOf(runner, 'runner-removed');
    this.#note(runner, why);
    runner.session?.revoked();
    runner.session = undefined;
  }

  #disconnect(runner: PlatformRunner, session: RunnerSession, afterMs: number): void {
    this.#engine.clock.after(afterMs, () => {
      if (runner.session !== session) return;
      runner.session = undefined;
      runner.offlineSince = this.#engine.clock.now();
      this.queue.loseJobOf(runner, afterMs === 0 ? 'listener-stopped' : 'runner-vanished');
      if (this.#runners.has(runner.id)) this.#note(runner, 'offline');
    });
  }

  #removeForgotten(): void {
    const now = this.#engine.clock.now();
    for (const runner of this.runners)
      if (runner.session === undefined && now - runner.offlineSince >= removedAfterOfflineMs)
        this.#drop(runner, 'forgotten');
  }

  #note(runner: PlatformRunner, name: string): void {
    this.#engine.journal.record({
      kind: 'transition',
      source: 'platform.runner',
      name,
      subject: runner.name,
      detail: { id: runner.id },
    });
  }
}
