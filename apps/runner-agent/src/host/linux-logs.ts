import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { AppendedLines, CommandOutput, JournalLine, JournalPage, KernelCommand } from './kernel.ts';

/** So much of a file is read at once. */
const mostBytes = 256 * 1024;
/** With more than this waiting, the oldest part is left out: a log that grows without end must not keep the agent busy. */
const mostBacklog = 4 * 1024 ** 2;
/** A page of the journal is sent as a whole: with both limits it is a few requests, whatever a job writes there. */
const mostJournalLines = 1_000;
const longestJournalLine = 8 * 1024;
const journalTimeoutMs = 20_000;
const newline = 0x0a;

/** The lines that were appended to a file after `offset`. */
export function readAppended(path: string, offset: number): AppendedLines {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const from = size < offset ? 0 : offset;
    const skippedBytes = size - from > mostBacklog ? size - from - mostBacklog : 0;
    const start = from + skippedBytes;
    const buffer = Buffer.alloc(Math.min(mostBytes, size - start));
    const bytes = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, start));
    const lastNewline = bytes.lastIndexOf(newline);
    // A line longer than what is read at once is cut; the last one is still being written.
    const end = lastNewline === -1 && bytes.length === mostBytes ? bytes.length : lastNewline + 1;
    const lines = bytes.subarray(0, end).toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    return { lines, offset: start + end, skippedBytes };
  } finally {
    closeSync(file);
  }
}

/** The journal of these units. A cursor that the journal does not know any more is one to the newest lines. */
export async function readJournal(
  run: (command: KernelCommand) => Promise<CommandOutput>,
  units: readonly string[],
  cursor: string | undefined,
): Promise<JournalPage> {
  const page = async (after: readonly string[]) => {
    const args = [
      '--no-pager',
      '--quiet',
      '--output=json',
      '--output-fields=MESSAGE,SYSLOG_IDENTIFIER,_SYSTEMD_UNIT,UNIT',
      `--lines=${mostJournalLines}`,
      ...units.map((unit) => `--unit=${unit}.service`),
      ...after,
    ];
    return await run({ file: 'journalctl', args, timeoutMs: journalTimeoutMs });
  };
  let output = await page(cursor === undefined ? [] : [`--after-cursor=${cursor}`]);
  if (output.exitCode !== 0 && cursor !== undefined) output = await page([]);
  const entries = output.stdout.split('\n').flatMap(parseEntry);
  return {
    lines: entries.map(({ line }) => line),
    cursor: entries.at(-1)?.cursor ?? cursor,
    full: entries.length >= mostJournalLines,
  };
}

/** systemd.journal-fields(7); a message that is not UTF-8 is a list of bytes, one that is too large is null. */
function parseEntry(json: string): { readonly line: JournalLine; readonly cursor: string }[] {
  if (json === '') return [];
  const entry = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const message = entry.MESSAGE;
  const text = Array.isArray(message) ? Buffer.from(message as number[]).toString('utf8') : String(message ?? '');
  const unit = String(entry._SYSTEMD_UNIT ?? entry.UNIT ?? '');
  // Lines about a unit come from systemd itself.
  const named = entry.UNIT === undefined ? unit : String(entry.UNIT);
  return [
    {
      line: {
        at: Math.floor(Number(entry.__REALTIME_TIMESTAMP) / 1000),
        unit: named.replace(/\.service$/, ''),
        tag: typeof entry.SYSLOG_IDENTIFIER === 'string' ? entry.SYSLOG_IDENTIFIER : undefined,
        text: text.slice(0, longestJournalLine),
      },
      cursor: String(entry.__CURSOR),
    },
  ];
}
