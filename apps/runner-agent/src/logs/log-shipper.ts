import { type Clock, describeError, type Logger, TransientError } from '@drover/core';
import { type LogSource, runnerService } from '@drover/core/names/runner-fleet';
import type { JournalLine, Kernel } from '../host/kernel.ts';
import { batches, type LogEvent } from './batches.ts';
import { hookTag, type JobPlace, type RunningJob, readJobs } from './job-events.ts';

/** The ports of the shipper; `put` is one request. */
interface ShipperPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly kernel: Pick<Kernel, 'readAppended' | 'journal' | 'readFile' | 'writeFile'>;
  readonly place: JobPlace;
  /** Workers of the runner that live now. */
  workers(): number;
  put(source: LogSource, events: readonly LogEvent[]): Promise<void>;
}

/** How far each log was shipped. */
interface Shipped {
  files: Readonly<Record<string, number>>;
  cursor?: string | undefined;
  /** The job that runs, by what was shipped of the journal. */
  job?: RunningJob | undefined;
}

/** Where it is kept, so that an agent that starts again goes on where the last one was. */
const shippedFile = '/var/lib/runner-agent/shipped.json';

const files: readonly (readonly [LogSource, string])[] = [
  ['cloud-init', '/var/log/cloud-init-output.log'],
  ['puppet', '/var/log/puppet.log'],
];
const agentUnit = 'runner-agent';

/** A token bucket for requests: a burst, then one every two seconds. */
const burst = 20;
const refillMs = 2_000;
const firstPauseMs = 15_000;
const longestPauseMs = 300_000;

/**
 * Sends the instance's logs to the fleet's log group as they are written. The logs themselves are the buffer: what could not
 * be sent is read again at the next look, and a log that grew too much meanwhile says what was left out. Nothing waits for
 * it but `flush`, which has a limit.
 */
export class LogShipper {
  readonly #ports: ShipperPorts;
  #shipped: Shipped;
  #look: Promise<void> | undefined;
  #tokens = burst;
  #refilledAt: number;
  #failures = 0;
  #notBefore = 0;

  constructor(ports: ShipperPorts) {
    this.#ports = ports;
    this.#shipped = parseShipped(ports.kernel.readFile(shippedFile));
    this.#refilledAt = ports.clock.now();
  }

  /** Sends what is new, in the background. */
  ship(): void {
    this.#begin(false);
  }

  #begin(last: boolean): void {
    if (this.#look !== undefined || this.#ports.clock.now() < this.#notBefore) return;
    this.#look = this.#lookOnce(last).finally(() => {
      this.#look = undefined;
    });
  }

  /** Sends what is new, for the last time perhaps, and resolves when that is done or `mostMs` have passed. */
  async flush(mostMs: number): Promise<void> {
    const work = (async () => {
      await this.#look;
      this.#begin(true);
      await this.#look;
    })();
    await new Promise<void>((resolve) => {
      const timer = this.#ports.clock.after(mostMs, resolve);
      void work.then(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  /** Never fails: only a change is logged, or each failure would be news for the next look. */
  async #lookOnce(last: boolean): Promise<void> {
    const { clock, log } = this.#ports;
    try {
      for (const [source, path] of files) await this.#shipFile(source, path);
      await this.#shipJournal(last);
      if (this.#failures > 0) log.info('logs are shipped again');
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0) log.warn('logs could not be shipped', { error: describeError(error) });
      this.#notBefore = clock.now() + Math.min(longestPauseMs, firstPauseMs * 2 ** this.#failures);
      this.#failures += 1;
    }
  }

  async #shipFile(source: LogSource, path: string): Promise<void> {
    for (;;) {
      const before = this.#shipped.files[path] ?? 0;
      const { lines, offset, skippedBytes } = this.#ports.kernel.readAppended(path, before);
      if (offset === before) return;
      const note = skippedBytes === 0 ? [] : [`[${skippedBytes} bytes were dropped here: too much at once]`];
      await this.#send(source, this.#asEvents([...note, ...lines]));
      this.#commit({ files: { ...this.#shipped.files, [path]: offset } });
    }
  }

  async #shipJournal(last: boolean): Promise<void> {
    const { clock, kernel, place, workers } = this.#ports;
    const page = await kernel.journal([agentUnit, runnerService], this.#shipped.cursor);
    const { job: before, cursor } = this.#shipped;
    if (page.cursor === cursor && before === undefined) return;
    const bySource = new Map<LogSource, LogEvent[]>();
    for (const line of page.lines) {
      const source = sourceOf(line);
      bySource.set(source, [...(bySource.get(source) ?? []), line]);
    }
    if (page.full && cursor !== undefined)
      await this.#send('agent', this.#asEvents([`[lines before the newest ${page.lines.length} were dropped]`]));
    const sight = { now: clock.now(), workers: workers(), last };
    const { running, events: jobs } = readJobs(before, page.lines, place, sight);
    // The jobs last: what is sent again after a failure would count twice in their metrics.
    for (const [source, events] of [...bySource, ['jobs', jobs] as const]) await this.#send(source, events);
    if (page.cursor !== cursor || JSON.stringify(running) !== JSON.stringify(before))
      this.#commit({ cursor: page.cursor, job: running });
  }

  readonly #asEvents = (lines: readonly string[]): LogEvent[] =>
    lines.map((text) => ({ at: this.#ports.clock.now(), text }));

  async #send(source: LogSource, events: readonly LogEvent[]): Promise<void> {
    // The agent makes the events of jobs, and their metrics; every other line may be a job's.
    for (const batch of batches(events, source === 'jobs' ? 'agent' : 'anybody')) {
      this.#takeToken();
      await this.#ports.put(source, batch);
    }
  }

  #takeToken(): void {
    const now = this.#ports.clock.now();
    const refilled = Math.floor(Math.max(0, now - this.#refilledAt) / refillMs);
    this.#tokens = Math.min(burst, this.#tokens + refilled);
    if (refilled > 0 || now < this.#refilledAt) this.#refilledAt = now;
    if (this.#tokens === 0) throw new TransientError('too many requests for one instance: the rest waits');
    this.#tokens -= 1;
  }

  #commit(change: Partial<Shipped>): void {
    this.#shipped = { ...this.#shipped, ...change };
    this.#ports.kernel.writeFile(shippedFile, JSON.stringify(this.#shipped));
  }
}

/** Lines of the agent are root's: what runs for a job does not run as root. */
function sourceOf({ unit, tag, root }: JournalLine): LogSource {
  if (unit === agentUnit && root) return 'agent';
  return tag === hookTag ? 'hook' : 'runner';
}

/** An unreadable note counts as none: the logs are shipped once more. */
function parseShipped(text: string | undefined): Shipped {
  try {
    return { files: {}, ...(JSON.parse(text ?? '{}') as Partial<Shipped>) };
  } catch {
    return { files: {} };
  }
}
