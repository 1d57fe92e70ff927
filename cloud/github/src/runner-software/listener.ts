import { exitCodes } from './exit-codes.ts';
import { JobRunner } from './job-runner.ts';
import { Options } from './options.ts';
import { type AcquiredJob, type ListenerSystem, type Message, type Session, timed, Unreachable } from './ports.ts';
import { insteadOf, resent, withRetries } from './retry.ts';
import { deleteConfiguration, isConfigured, readIdentity, writeJitConfig } from './runner-files.ts';

/** A session that was refused is asked for again after this; eight conflicts in a row are the end (BrokerMessageListener.cs). */
const session = { againMs: 30_000, mostConflicts: 8, closeMs: 30_000 };
/** Polls that may fail in a row, with a pause after each that is longer after the fifth. */
const polls = { most: 10, pauseMs: [15_000, 30_000], latePauseMs: [30_000, 60_000] } as const;
/** The time that the runtime gives the listener after SIGTERM. */
const sigtermLimitMs = 30_000;
const mostSkipPauseMs = 60_000;

const notConfigured = 'An error occurred: Not configured. Run config.(sh/cmd) to configure the runner.';
const deleted =
  'Failed to create a session. The runner registration has been deleted from the server, please re-configure. Runner registrations are automatically deleted for runners that have not connected to the service recently.';

/** `Runner.Listener run`: opens a session, polls, runs a Worker for each job; ends with the code of the original. */
export function listen(system: ListenerSystem): Promise<number> {
  return new Promise((exit, fail) => new Listener(system, exit).run().then(exit, fail));
}

class Listener {
  readonly #system: ListenerSystem;
  readonly #stop = new AbortController();
  readonly #exit: (code: number) => void;
  #signalled: number | undefined;
  #job: JobRunner | undefined;
  /** An ephemeral runner has had its job. */
  #done = false;
  /** Its registration was deleted while it polled. */
  #gone = false;
  #poll = new AbortController();
  #skipped = 0;

  constructor(system: ListenerSystem, exit: (code: number) => void) {
    this.#system = system;
    this.#exit = exit;
  }

  async run(): Promise<number> {
    const { env, argv, files, version } = this.#system;
    const jitConfig = new Options(argv, env).value('jitconfig');
    try {
      if (jitConfig !== undefined) writeJitConfig(files, jitConfig);
    } catch (error) {
      return this.#end(exitCodes.terminated, `An error occurred: ${(error as Error).message}`);
    }
    const identity = readIdentity(files, version);
    if (identity === undefined && isConfigured(files))
      return this.#end(exitCodes.retryable, 'An error occurred: .credentials is missing.');
    if (identity === undefined) return this.#end(exitCodes.terminated, notConfigured);
    this.#onSignals();
    this.#system.trace(`Runner ${identity.agentId}, version ${version}`);
    const opened = await this.#openSession();
    if (typeof opened === 'number') return this.#signalled ?? opened;
    this.#system.say(`Current runner version: '${version}'`);
    this.#system.say(timed(this.#system, 'Listening for Jobs'));
    return await this.#serve(opened, identity.ephemeral);
  }

  #onSignals(): void {
    this.#system.onSignal('SIGINT', () => {
      this.#system.say('Exiting...');
      this.#leave(exitCodes.success);
    });
    this.#system.onSignal('SIGTERM', () => {
      this.#leave(exitCodes.sigterm);
      this.#system.clock.after(sigtermLimitMs, () => this.#exit(exitCodes.sigterm));
    });
  }

  #leave(code: number): void {
    this.#signalled ??= code;
    this.#stop.abort();
    this.#poll.abort();
  }

  /** Polls until something ends it. Whatever that is also ends the job that runs, and waits for its Worker without limit. */
  async #serve(first: Session, ephemeral: boolean): Promise<number> {
    const open = { session: first };
    let code: number;
    try {
      code = await this.#pollForJobs(open, ephemeral);
    } catch (error) {
      if (!(error instanceof Unreachable) && this.#signalled === undefined) throw error;
      code = exitCodes.retryable;
    }
    this.#job?.end(this.#signalled === undefined ? 'cancel' : 'shutdown');
    await this.#job?.ended;
    // A deleted registration has no session to close.
    if (this.#gone) return this.#signalled ?? code;
    const closed = await this.#close(open.session);
    // An ephemeral runner that had its job does not mind.
    if (!closed && !this.#done) return exitCodes.retryable;
    return this.#signalled ?? code;
  }

  async #pollForJobs(open: { session: Session }, ephemeral: boolean): Promise<number> {
    for (;;) {
      const message = await this.#receive(open.session);
      if (message === undefined) {
        if (this.#done) deleteConfiguration(this.#system.files);
        return exitCodes.success;
      }
      if (message.kind === 'registration-deleted') return this.#registrationGone();
      if (message.kind === 'deprecated') return this.#deprecated(message.text);
      if (message.kind === 'session-expired') {
        const again = await this.#openSession();
        // Not its own code for a conflict: only a start that meets one ends with that.
        if (typeof again === 'number') return again === exitCodes.success ? again : exitCodes.terminated;
        open.session = again;
      } else if ((await this.#take(open.session, message.jobId, ephemeral)) === 'vanished' && ephemeral) {
        deleteConfiguration(this.#system.files);
        return exitCodes.success;
      }
    }
  }

  /** Undefined: it is time to leave. */
  async #receive(from: Session): Promise<Message | undefined> {
    const { clock, random } = this.#system;
    for (let failed = 0; ; ) {
      if (this.#done || this.#stop.signal.aborted) return undefined;
      this.#poll = new AbortController();
      const { signal } = this.#poll;
      const status = this.#job === undefined ? 'Online' : 'Busy';
      try {
        return await withRetries(this.#system, () => from.nextMessage(status, signal), signal);
      } catch (error) {
        if (signal.aborted) continue;
        if (!(error instanceof Unreachable)) throw error;
        if (++failed === 1) this.#lost(error);
        if (failed >= polls.most) throw error;
        const [least, most] = failed <= 5 ? polls.pauseMs : polls.latePauseMs;
        await clock.sleep(random.int(least, most), signal).catch(() => {});
        await from.refresh(signal).catch(() => {});
      }
    }
  }

  /** `vanished`: the job did not exist any more when it was acknowledged. An acquired job runs while polling goes on. */
  async #take(from: Session, jobId: number, ephemeral: boolean): Promise<'taken' | 'vanished' | 'skipped'> {
    const acknowledged = await from.acknowledge(jobId).catch(insteadOf('ok' as const));
    if (acknowledged === 'gone') return 'vanished';
    const { signal } = this.#stop;
    const acquired = await withRetries(this.#system, () => from.acquire(jobId, signal), signal).catch(
      insteadOf('unreachable' as const),
    );
    if (acquired === 'gone') return await this.#skip();
    // It prints nothing about it: the next poll follows.
    if (acquired === 'unreachable') return 'skipped';
    this.#skipped = 0;
    this.#start(from, acquired, ephemeral);
    return 'taken';
  }

  #start(from: Session, job: AcquiredJob, ephemeral: boolean): void {
    const running = new JobRunner(this.#system, job, from.job(job.id));
    this.#job = running;
    void running.ended.then(() => {
      if (this.#job === running) this.#job = undefined;
      if (ephemeral) this.#done = true;
      // The next one says Online, over a connection of its own.
      this.#poll.abort();
    });
  }

  async #skip(): Promise<'skipped'> {
    this.#skipped += 1;
    const pauseMs = this.#skipped === 1 ? 0 : Math.min(mostSkipPauseMs, 1_000 * 2 ** (this.#skipped - 2));
    if (pauseMs > 0) await this.#system.clock.sleep(pauseMs, this.#stop.signal).catch(() => {});
    return 'skipped';
  }

  #registrationGone(): number {
    this.#gone = true;
    deleteConfiguration(this.#system.files);
    return this.#end(exitCodes.success, 'The runner no longer exists on the server. Cleaning up local configuration.');
  }

  #deprecated(text: string): number {
    const ownCode = this.#system.env.ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE === '1';
    return this.#end(ownCode ? exitCodes.versionDeprecated : exitCodes.terminated, `An error occurred: ${text}`);
  }

  /** A session, or the exit code. While GitHub cannot be reached it tries for ever. */
  async #openSession(): Promise<Session | number> {
    const { pipelines, files, version, clock, say, complain } = this.#system;
    const identity = readIdentity(files, version);
    if (identity === undefined) return this.#end(exitCodes.terminated, notConfigured);
    for (let conflicts = 0, silent = false; !this.#stop.signal.aborted; ) {
      // Before the session is asked for: no sign of one.
      say('√ Connected to GitHub');
      try {
        const answer = await resent(this.#system, () => pipelines.openSession(identity), this.#stop.signal);
        if (typeof answer !== 'string') return answer;
        if (answer === 'registration-deleted') return this.#end(exitCodes.terminated, deleted);
        if (answer === 'refused') return this.#end(exitCodes.terminated, 'Failed to create session.');
        complain('A session for this runner already exists.');
        if (++conflicts === session.mostConflicts) return exitCodes.sessionConflict;
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        if (!silent) this.#lost(error);
        silent = true;
      }
      await clock.sleep(session.againMs, this.#stop.signal).catch(() => {});
    }
    return exitCodes.success;
  }

  /** False when the session could not be deleted; where no response comes it waits, and counts it as deleted. */
  async #close(open: Session): Promise<boolean> {
    const limit = new AbortController();
    const late = this.#system.clock.sleep(session.closeMs, limit.signal).catch(() => {});
    const told = open.close().catch((error): unknown => {
      if (!(error instanceof Unreachable)) throw error;
      if (error.how === 'no-answer') return late;
      this.#system.complain(`An error occurred: ${error.message}`);
      return false;
    });
    const closed = await Promise.race([told, late]);
    limit.abort();
    return closed !== false;
  }

  #lost({ message }: Unreachable): void {
    this.#system.complain(timed(this.#system, `Runner connect error: ${message}. Retrying until reconnected.`));
  }

  #end(code: number, text: string): number {
    this.#system.complain(text);
    return code;
  }
}
