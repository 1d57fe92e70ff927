import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { jsonLogger, type Logger, Secret, silentLogger, terminalLogger, VirtualClock } from './index.ts';

const json = (level?: 'debug' | 'error') => {
  const lines: string[] = [];
  const options = { clock: new VirtualClock(0), write: (line: string) => void lines.push(line) };
  return { lines, log: jsonLogger(level === undefined ? options : { ...options, level }) };
};
const terminal = (colour = false) => {
  const lines: string[] = [];
  return { lines, log: terminalLogger({ write: (line) => void lines.push(line), colour }) };
};

describe('jsonLogger', () => {
  it('writes one JSON object a line with time, level, message and fields', () => {
    const { lines, log } = json();

    log.info('two\nlines', { instance: 'i-1', count: 2 });

    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('\n');
    expect(JSON.parse(lines[0]!)).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      message: 'two\nlines',
      instance: 'i-1',
      count: 2,
    });
  });

  it('writes from its level on; info when none is given', () => {
    const all = (log: Logger) => {
      for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](level);
    };
    const levels = ({ lines, log }: ReturnType<typeof json>) => {
      all(log);
      return lines.map((line) => (JSON.parse(line) as { level: string }).level);
    };

    expect(levels(json())).toEqual(['info', 'warn', 'error']);
    expect(levels(json('debug'))).toEqual(['debug', 'info', 'warn', 'error']);
    expect(levels(json('error'))).toEqual(['error']);
  });

  it('adds the fields of `with` to every line, and lets a line override them', () => {
    const { lines, log } = json();

    log.with({ group: 'a', part: 1 }).with({ part: 2 }).warn('x', { group: 'b' });

    expect(JSON.parse(lines[0]!)).toMatchObject({ group: 'b', part: 2 });
  });

  it('a log in JSON has no field by which CloudWatch would make metrics of its line', () => {
    const { lines, log } = json();

    log.info('metric', {
      ...(JSON.parse('{"_aws":{"CloudWatchMetrics":[]}}') as object),
      detail: { _aws: {}, count: 1 },
    });

    expect(lines[0]).not.toContain('_aws');
    expect(JSON.parse(lines[0]!)).toMatchObject({ message: 'metric', detail: { count: 1 } });
  });

  it('writes an error as its message with the messages of its causes', () => {
    const { lines, log } = json();

    log.error('failed', { error: new Error('outer', { cause: new Error('inner') }) });

    expect(JSON.parse(lines[0]!)).toMatchObject({ error: 'outer: inner' });
  });
});

describe('terminalLogger', () => {
  it('writes the level before everything but info, and fields after the message', () => {
    const { lines, log } = terminal();

    log.info('ready', { url: 'http://a:1/b', text: 'two words', error: new Error('no way') });
    log.warn('slow');

    expect(lines).toEqual(['ready url=http://a:1/b text="two words" error="no way"', 'warn: slow']);
  });

  it('colours the level alone', () => {
    const { lines, log } = terminal(true);

    log.error('broken');

    expect(lines).toEqual(['\u001b[31merror\u001b[0m: broken']);
  });
});

describe('a secret in a log line', () => {
  const secret = new Secret('hunter2');
  const fields = { secret, nested: { list: [secret] }, text: `${secret}` };

  it.each([
    ['jsonLogger', json],
    ['terminalLogger', terminal],
  ] as const)('a secret in a log line is redacted by %s, however deep it is', (_, make) => {
    const { lines, log } = make();

    log.with({ common: secret }).error('x', fields);

    expect(lines.join()).toContain('[secret]');
    expect(lines.join()).not.toContain('hunter2');
  });

  it('shows neither in a dump nor in a message, and is given out by reveal alone', () => {
    expect([inspect(fields, { depth: 9 }), `${secret}`, JSON.stringify(fields)].join()).not.toContain('hunter2');
    expect(secret.reveal()).toBe('hunter2');
  });
});

it('silentLogger writes nothing and can be extended', () => {
  expect(() => silentLogger.with({ a: 1 }).error('x')).not.toThrow();
});
