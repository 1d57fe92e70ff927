import { silentLogger, VirtualClock } from '@drover/core';
import type { LogSource } from '@drover/core/names/runner-fleet';
import { describe, expect, it } from 'vitest';
import type { JournalLine } from '../host/kernel.ts';
import { batches, type LogEvent } from './batches.ts';
import { LogShipper } from './log-shipper.ts';

const cloudInit = '/var/log/cloud-init-output.log';

/** A host with files and a journal, and a log service that can be away. */
function stage() {
  const clock = new VirtualClock();
  const files = new Map<string, string>();
  const journal: JournalLine[] = [];
  const sent: { source: LogSource; texts: readonly string[] }[] = [];
  const service = { away: false, hangs: false };
  const kernel = {
    readFile: (path: string) => files.get(path),
    writeFile: (path: string, text: string) => void files.set(path, text),
    readAppended(path: string, offset: number) {
      const text = (files.get(path) ?? '').slice(offset, offset + 60_001);
      return { lines: text.split('\n').slice(0, -1), offset: offset + text.length, skippedBytes: 0 };
    },
    journal: async (_: readonly string[], cursor: string | undefined) => ({
      lines: journal.slice(Number(cursor ?? 0)),
      cursor: String(journal.length),
      full: false,
    }),
  };
  const put = async (source: LogSource, events: readonly LogEvent[]) => {
    if (service.hangs) await new Promise(() => {});
    if (service.away) throw new Error('ServiceUnavailable');
    sent.push({ source, texts: events.map(({ text }) => text) });
  };
  const place = { groupName: 'g', instanceId: 'i-1', metricNamespace: 'Drover/ActionsRunner' };
  const make = () => new LogShipper({ clock, log: silentLogger, kernel, put, place });
  return { clock, files, journal, sent, service, make, shipper: make() };
}

const line = (unit: string, text: string, tag?: string): JournalLine => ({ at: 1, unit, tag, text });

describe('the log shipper', () => {
  it('files, the journal of the agent, of the runner and of its hooks go to streams of their own, each line once', async () => {
    const { files, journal, sent, shipper, make } = stage();
    files.set(cloudInit, 'one\ntwo\n');
    journal.push(line('runner-agent', 'a'), line('actions-runner', 'r'), line('actions-runner', 'h', 'runner-hook'));
    await shipper.flush(1_000);
    journal.push(line('runner-agent', 'b'));
    await make().flush(1_000);

    expect(sent).toEqual([
      { source: 'cloud-init', texts: ['one', 'two'] },
      { source: 'agent', texts: ['a'] },
      { source: 'runner', texts: ['r'] },
      { source: 'hook', texts: ['h'] },
      { source: 'agent', texts: ['b'] },
    ]);
  });

  it('what could not be sent is sent later, after a pause that grows', async () => {
    const { clock, files, sent, service, shipper } = stage();
    files.set(cloudInit, 'one\n');
    service.away = true;
    await shipper.flush(1_000);
    service.away = false;
    await shipper.flush(1_000);
    expect(sent).toEqual([]);

    await clock.advance(15_000);
    await shipper.flush(1_000);
    expect(sent).toEqual([{ source: 'cloud-init', texts: ['one'] }]);
  });

  it('a service that does not respond holds up nothing for longer than the limit of a flush', async () => {
    const { clock, files, service, shipper } = stage();
    files.set(cloudInit, 'one\n');
    service.hangs = true;
    let done = false;
    void shipper.flush(5_000).then(() => {
      done = true;
    });
    await clock.advance(4_999);
    expect(done).toBe(false);
    await clock.advance(1);
    expect(done).toBe(true);
  });

  it('requests beyond the token bucket wait for a later look, and each line is sent once', async () => {
    const { clock, files, sent, shipper } = stage();
    files.set(cloudInit, `${'x '.repeat(30_000)}\n`.repeat(25));
    await shipper.flush(1_000);
    expect(sent).toHaveLength(20);
    await clock.advance(60_000);
    await shipper.flush(1_000);
    expect(sent).toHaveLength(25);
  });
});

describe('batches of log events', () => {
  const sizes = (events: readonly LogEvent[]) => batches(events).map((batch) => batch.length);

  it('batches hold at most 10,000 events, 1 MiB and less than 24 hours, in chronological order', () => {
    expect(sizes(Array.from({ length: 10_001 }, (_, at) => ({ at, text: 'x' })))).toEqual([10_000, 1]);
    expect(sizes(Array.from({ length: 17 }, (_, at) => ({ at, text: 'x '.repeat(32_768) })))).toEqual([15, 2]);
    const day = 86_400_000;
    expect(batches([day, 0, 1].map((at) => ({ at, text: 'x' }))).map((batch) => batch.map(({ at }) => at))).toEqual([
      [0, 1],
      [day],
    ]);
  });

  it.each([
    [`token ghp_${'a'.repeat(36)} end`, 'token [redacted] end'],
    ['ABCDEFGHIJKLMNOPQRSTUVWXYZ234', '[redacted]'],
    ['AKIAIOSFODNN7EXAMPLE', '[redacted]'],
    ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG', 'aws_secret_access_key = [redacted]'],
    ['Authorization: Bearer abcdefghijk', 'Authorization: Bearer [redacted]'],
    ['M'.repeat(64), '[redacted]'],
    ['an ordinary line about a password', 'an ordinary line about a password'],
  ])('the line %s is shipped as %s', (text, shown) => {
    expect(batches([{ at: 0, text }])[0]![0]!.text).toBe(shown);
  });

  it('empty lines are not shipped', () => {
    expect(batches([{ at: 0, text: '  ' }])).toEqual([]);
  });
});
