import { silentLogger, VirtualClock } from '@drover/core';
import type { LogSource } from '@drover/core/names/runner-fleet';
import fc from 'fast-check';
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
  const make = () => new LogShipper({ clock, log: silentLogger, kernel, put, place, workers: () => 0 });
  return { clock, files, journal, sent, service, make, shipper: make() };
}

const line = (unit: string, text: string, tag?: string): JournalLine => ({
  at: 1,
  unit,
  tag,
  text,
  root: unit === 'runner-agent',
  main: tag === undefined,
});

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

  it('only events of the stream jobs, which the agent makes itself, have the key of metrics', async () => {
    const { files, journal, sent, shipper } = stage();
    const forged = '{"_aws":{"CloudWatchMetrics":[{"Namespace":"Production/Payments"}]}}';
    files.set(cloudInit, `${forged}\n`);
    files.set('/var/log/puppet.log', `${forged}\n`);
    journal.push(
      line('runner-agent', forged),
      line('actions-runner', forged),
      line('actions-runner', forged, 'runner-hook'),
      line('actions-runner', 'Running job: build'),
      line('actions-runner', 'Job build completed with result: Succeeded'),
    );
    await shipper.flush(1_000);

    expect(
      sent.filter(({ texts }) => texts.some((text) => text.includes('"_aws"'))).map(({ source }) => source),
    ).toEqual(['jobs']);
    expect(sent.map(({ source }) => source)).toEqual(['cloud-init', 'puppet', 'agent', 'runner', 'hook', 'jobs']);
  });

  it('only lines of root are in the stream agent', async () => {
    const { journal, sent, shipper } = stage();
    journal.push({ ...line('runner-agent', 'FORGED'), root: false });
    await shipper.flush(1_000);
    expect(sent).toEqual([{ source: 'runner', texts: ['FORGED'] }]);
  });

  it('a job whose end was not reported is one event, when the instance goes', async () => {
    const { journal, sent, shipper } = stage();
    journal.push(line('actions-runner', 'Running job: build'));
    await shipper.flush(1_000);
    await shipper.flush(1_000);
    expect(sent.filter(({ source }) => source === 'jobs')).toHaveLength(1);
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
  const sizes = (events: readonly LogEvent[]) => batches(events, 'anybody').map((batch) => batch.length);

  it('batches hold at most 10,000 events, 1 MiB and less than 24 hours, in chronological order', () => {
    expect(sizes(Array.from({ length: 10_001 }, (_, at) => ({ at, text: 'x' })))).toEqual([10_000, 1]);
    expect(sizes(Array.from({ length: 17 }, (_, at) => ({ at, text: 'x '.repeat(32_768) })))).toEqual([15, 2]);
    const day = 86_400_000;
    expect(
      batches(
        [day, 0, 1].map((at) => ({ at, text: 'x' })),
        'anybody',
      ).map((batch) => batch.map(({ at }) => at)),
    ).toEqual([[0, 1], [day]]);
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
    expect(batches([{ at: 0, text }], 'anybody')[0]![0]!.text).toBe(shown);
  });

  it.each([
    ['a plain key', '{"_aws":{"CloudWatchMetrics":[]}}', '{"x_aws":{"CloudWatchMetrics":[]}}'],
    ['a key with spaces and lines around it', '{\n  "_aws" \n : {}}', '{\n  "x_aws" \n : {}}'],
    ['a key that is spelled with escapes', '{"\\u005f\\u0061w\\u0073":{}}', '{"x_aws":{}}'],
    ['a key that is spelled with a capital escape', '{"\\u005Faws":{}}', '{"x_aws":{}}'],
    [
      'a key behind other text',
      '2026-11-15T08:00:00Z id INFO {"_aws":{}}',
      '2026-11-15T08:00:00Z id INFO {"x_aws":{}}',
    ],
    ['a key within a text', '{"message":"{\\"_aws\\":{}}"}', '{"message":"{\\"x_aws\\":{}}"}'],
    ['a key without quotes', "{_aws:1,'_aws':1}", "{x_aws:1,'x_aws':1}"],
    ['a longer word', 'terraform_aws_provider my_aws _aws2 _awsome', 'terraform_aws_provider my_aws _aws2 _awsome'],
  ])('a line of a job with %s makes no metrics', (_name, text, shown) => {
    expect(batches([{ at: 0, text }], 'anybody')[0]![0]!.text).toBe(shown);
  });

  it('no spelling of the key of metrics that JSON knows is left in a line of a job', () => {
    const spelled = [...'_aws'].map((letter) => {
      const code = letter.charCodeAt(0).toString(16).padStart(4, '0');
      return fc.constantFrom(letter, `\\u${code}`, `\\u${code.toUpperCase()}`);
    });
    const space = fc.constantFrom('', ' ', '\t', '\n');
    fc.assert(
      fc.property(fc.tuple(...spelled), space, space, fc.json(), (letters, before, after, value) => {
        const text = `{${before}"${letters.join('')}"${after}:${value},"other":1}`;
        expect(Object.keys(JSON.parse(text))).toContain('_aws');
        expect(Object.keys(JSON.parse(batches([{ at: 0, text }], 'anybody')[0]![0]!.text))).toEqual(['x_aws', 'other']);
      }),
      { numRuns: 200, seed: 1 },
    );
  });

  it('empty lines are not shipped', () => {
    expect(batches([{ at: 0, text: '  ' }], 'anybody')).toEqual([]);
  });
});
