import { TransientError } from '@drover/core';
import type { CommandOutput, JournalLine, JournalPage, KernelCommand } from './kernel.ts';

/** A page of the journal is sent as a whole: with both limits it is a few requests, whatever a job writes there. */
const mostLines = 1_000;
/** Of one process; a listener writes two for each job. */
const mostMainLines = 100;
const longestLine = 8 * 1024;
const timeoutMs = 20_000;

/** The fields that are read. Those with an underscore are trusted: journald fills them in, and no client can (systemd.journal-fields(7)). */
const fields = ['MESSAGE', 'SYSLOG_IDENTIFIER', 'UNIT', '_SYSTEMD_UNIT', '_PID', '_UID'];

/** A main process of a unit, from the moment of its start on the monotonic clock, in microseconds. */
export interface MainProcess {
  readonly pid: string;
  readonly since: number;
}

/** Number of earlier ones that are remembered for each unit: lines of theirs may still be unread. */
const mostMains = 20;

type Run = (command: KernelCommand) => Promise<CommandOutput>;

/** The journal of this machine. */
export class LinuxJournal {
  readonly #run: Run;
  readonly #bootId: string;
  readonly #mains = new Map<string, readonly MainProcess[]>();

  constructor(run: Run, bootId: string) {
    this.#run = run;
    this.#bootId = bootId.trim().replaceAll('-', '');
  }

  /** Notes a unit's main process, as systemd reports it (`ExecMainPID`, `ExecMainStartTimestampMonotonic`). */
  note(unit: string, pid: string | undefined, since: string | undefined): void {
    const known = this.#mains.get(unit) ?? [];
    if (pid === undefined || pid === '0' || known.at(-1)?.since === Number(since)) return;
    this.#mains.set(unit, [...known, { pid, since: Number(since) }].slice(-mostMains));
  }

  /** The journal of these units. A cursor that the journal does not know any more is one to the newest lines. */
  async read(units: readonly string[], cursor: string | undefined): Promise<JournalPage> {
    const page = async (after: readonly string[]) => {
      const args = [
        '--no-pager',
        '--quiet',
        '--output=json',
        `--output-fields=${fields.join(',')}`,
        `--lines=${mostLines}`,
        ...units.map((unit) => `--unit=${unit}.service`),
        ...after,
      ];
      return await this.#run({ file: 'journalctl', args, timeoutMs });
    };
    let output = await page(cursor === undefined ? [] : [`--after-cursor=${cursor}`]);
    if (output.exitCode !== 0 && cursor !== undefined) output = await page([]);
    // Asked after the page: the writer of each line had been started by then.
    await this.#lookAtMains(units);
    const entries = output.stdout.split('\n').flatMap(parse);
    return {
      lines: entries.map((entry) => this.#lineOf(entry)),
      cursor: entries.length === 0 ? cursor : String(entries.at(-1)!.__CURSOR),
      full: entries.length >= mostLines,
    };
  }

  /** The newest lines of a unit's main process alone. */
  async readMain(unit: string): Promise<readonly JournalLine[]> {
    await this.#lookAtMains([unit]);
    const pid = this.#mains.get(unit)?.at(-1)?.pid;
    if (pid === undefined) return [];
    const { stdout, stderr, exitCode } = await this.#run({
      file: 'journalctl',
      args: [
        '--no-pager',
        '--quiet',
        '--output=json',
        `--output-fields=${fields.join(',')}`,
        `--lines=${mostMainLines}`,
        `_SYSTEMD_UNIT=${unit}.service`,
        `_PID=${pid}`,
      ],
      timeoutMs,
    });
    if (exitCode !== 0) throw new TransientError(`journalctl ended with ${exitCode}: ${stderr.trim()}`);
    const lines = stdout.split('\n').flatMap(parse);
    return lines.map((entry) => this.#lineOf(entry)).filter(({ main }) => main);
  }

  async #lookAtMains(units: readonly string[]): Promise<void> {
    const args = ['show', '--property=Id,ExecMainPID,ExecMainStartTimestampMonotonic', ...units];
    const { stdout } = await this.#run({ file: 'systemctl', args, timeoutMs });
    for (const block of stdout.split('\n\n')) {
      const said = new Map(block.split('\n').map((line) => line.split('=', 2) as [string, string]));
      this.note(unitName(said.get('Id')), said.get('ExecMainPID'), said.get('ExecMainStartTimestampMonotonic'));
    }
  }

  /** A message that is not UTF-8 is a list of bytes, one that is too large is null. */
  #lineOf(entry: Entry): JournalLine {
    const { MESSAGE: message, SYSLOG_IDENTIFIER: tag } = entry;
    const text = Array.isArray(message) ? Buffer.from(message as number[]).toString('utf8') : String(message ?? '');
    // Lines about a unit come from systemd itself; any other writer could name any unit there.
    const unit = unitName(entry._PID === '1' ? (entry.UNIT ?? entry._SYSTEMD_UNIT) : entry._SYSTEMD_UNIT);
    return {
      at: Math.floor(Number(entry.__REALTIME_TIMESTAMP) / 1000),
      unit,
      tag: typeof tag === 'string' ? tag : undefined,
      text: text.slice(0, longestLine),
      root: entry._UID === '0',
      main: entry._BOOT_ID === this.#bootId && this.#isMain(unit, Number(entry.__MONOTONIC_TIMESTAMP), entry._PID),
    };
  }

  /**
   * Whether a process was the unit's main one at a moment: a number alone could be that of a later process. systemd notes the start
   * after it has made the process, which may have written a line by then.
   */
  #isMain(unit: string, at: number, pid: unknown): boolean {
    const mains = this.#mains.get(unit) ?? [];
    const next = mains.find(({ since }) => since > at);
    return (
      mains.findLast(({ since }) => since <= at)?.pid === pid ||
      (next !== undefined && next.pid === pid && next.since - at <= startIsNotedWithinUs)
    );
  }
}

/** Longest time between the first line of a process and the note of its start; numbers of processes do not come round that soon. */
const startIsNotedWithinUs = 200_000;

type Entry = Readonly<Record<string, unknown>>;

const unitName = (name: unknown): string => String(name ?? '').replace(/\.service$/, '');

/** Text that is cut off at the end of a command that took too long is read with the next page. */
function parse(json: string): Entry[] {
  try {
    return json === '' ? [] : [JSON.parse(json) as Entry];
  } catch {
    return [];
  }
}
