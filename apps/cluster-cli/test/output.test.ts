import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../src/main.ts';
import { describe as describeProgress } from '../src/render/progress.ts';
import { bytesText, durationText } from '../src/render/units.ts';
import { health } from './support/loopback.ts';
import { memoryIo, scriptedExchange } from './support/memory-io.ts';

const run = async (
  argv: readonly string[],
  body: unknown,
  options: { terminal?: boolean; env?: Record<string, string>; status?: number } = {},
) => {
  const { exchange, requests } = scriptedExchange({ '*': { body, status: options.status ?? 200 } });
  const memory = memoryIo({
    exchange,
    terminal: options.terminal ?? false,
    env: { CLUSTER_CLI_PASSWORD: 'p', ...options.env },
  });
  const code = await main(argv, memory.io);
  return {
    code,
    out: memory.stdout(),
    err: memory.stderr(),
    paths: requests.map(({ path, query }) => (query === '' ? path : `${path}?${query}`)),
  };
};

describe('formats', () => {
  it.each([
    ['text', '/_cat/shards?v=true'],
    ['json', '/_cat/shards?format=json'],
    ['yaml', '/_cat/shards?format=yaml'],
    ['cbor', '/_cat/shards?format=cbor'],
    ['smile', '/_cat/shards?format=smile'],
  ])('%s is rendered by Elasticsearch and passed through untouched', async (format, path) => {
    const { code, out, paths } = await run(['--format', format, 'cat', 'shards'], 'as it comes\n');

    expect([code, out, paths]).toEqual([0, 'as it comes\n', [path]]);
  });

  it.each(['cbor', 'smile'])('%s is refused on a terminal', async (format) => {
    const { code, out, err } = await run(['--format', format, 'cat', 'shards'], 'x', { terminal: true });

    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('stdout is a terminal');
  });

  it('a terminal gets JSON that people can read', async () => {
    const { paths } = await run(['--format', 'json', 'cat', 'nodes'], '[]', { terminal: true });

    expect(paths).toEqual(['/_cat/nodes?format=json&pretty=true']);
  });

  it('text of the health is one member a line', async () => {
    const { out } = await run(['cluster-health'], health);

    expect(out.split('\n').slice(0, 3)).toEqual([
      'cluster_name                    search',
      'status                          yellow',
      'timed_out                       false',
    ]);
  });

  it('the format is a parameter of the raw call too, unless one was typed', async () => {
    expect((await run(['--format', 'yaml', 'api', 'GET', '/_nodes?human'], '')).paths).toEqual([
      '/_nodes?human&format=yaml',
    ]);
    expect((await run(['--format', 'yaml', 'api', 'GET', '/_nodes?format=cbor'], '')).paths).toEqual([
      '/_nodes?format=cbor',
    ]);
  });

  it.each([
    ['cat snapshots', ['cat', 'snapshots', 'backups'], '/_cat/snapshots/backups?v=true'],
    [
      'snapshots list',
      ['snapshots', 'list'],
      '/_cat/snapshots/_all?v=true&h=id,repository,status,start_epoch,start_time,end_epoch,end_time,duration,indices',
    ],
    [
      'snapshots list of one',
      ['snapshots', 'list', 'b/c'],
      '/_cat/snapshots/b%2Fc?v=true&h=id,repository,status,start_epoch,start_time,end_epoch,end_time,duration,indices',
    ],
    ['snapshots status', ['snapshots', 'status', 'r', 's'], '/_snapshot/r/s/_status?pretty=true'],
  ])('%s asks for exactly this', async (_title, argv, path) => {
    expect((await run(argv, '')).paths).toEqual([path]);
  });
});

describe('the health', () => {
  it.each([
    ['green', 'green', 0],
    ['yellow', 'yellow', 0],
    ['green', 'yellow', 0],
    ['yellow', 'green', 3],
    ['red', 'yellow', 3],
  ])('%s with --fail-unless %s exits %i', async (status, wanted, code) => {
    const ended = await run(['cluster-health', '--fail-unless', wanted], { ...JSON.parse(health), status });

    expect(ended.code).toBe(code);
    expect(ended.out).toContain(status);
    if (code === 3) expect(ended.err).toContain(`refused (not-${wanted})`);
  });

  it.each(['green', 'yellow', 'red'])(
    '%s exits 0 when nothing else was asked for, and --quiet prints it all the same',
    async (status) => {
      const ended = await run(['--quiet', 'cluster-health'], { ...JSON.parse(health), status });

      expect([ended.code, ended.err]).toEqual([0, '']);
      expect(ended.out).toContain(status);
    },
  );
});

describe('cat nodes NODE', () => {
  const rows = [
    { ip: '10.0.0.1', name: 'data-1', id: 'AAA', 'heap.percent': '20', cpu: null },
    { ip: '10.0.0.2', name: 'data-2', id: 'BBB', 'heap.percent': '30', cpu: '1' },
  ];

  it.each(['10.0.0.2', 'data-2', 'BBB'])('finds it by %s', async (node) => {
    const { code, out } = await run(['--format', 'json', 'cat', 'nodes', node], rows);

    expect([code, JSON.parse(out)]).toEqual([0, [rows[1]]]);
  });

  it('says which nodes there are when there is no such node', async () => {
    const { code, err } = await run(['cat', 'nodes', 'data-9'], rows);

    expect(code).toBe(1);
    expect(err).toContain('no node data-9 is in the cluster (there are data-1, data-2)');
  });
});

describe('allocation-explain', () => {
  it('sends shard 0, and whether the primary or a replica is meant', async () => {
    const { exchange, requests } = scriptedExchange({
      '*': {
        body: { index: 'logs', shard: 0, primary: true, current_state: 'started', current_node: { name: 'data-1' } },
      },
    });
    const { io, stdout } = memoryIo({ exchange, env: { CLUSTER_CLI_PASSWORD: 'p' } });

    expect(await main(['cluster', 'allocation-explain', '--index', 'logs', '--shard', '0', '--primary'], io)).toBe(0);
    expect(Buffer.from(requests[0]!.body).toString()).toBe('{"index":"logs","shard":0,"primary":true}');
    expect(stdout()).toBe('shard [0] [primary] of index [logs] is started on data-1\n');
    expect(await main(['cluster', 'allocation-explain', '--index', 'logs', '--shard', '1', '--replica'], io)).toBe(0);
    expect(Buffer.from(requests[1]!.body).toString()).toBe('{"index":"logs","shard":1,"primary":false}');
  });

  it('says so and exits 0 when nothing is unassigned', async () => {
    const error = {
      error: {
        type: 'illegal_argument_exception',
        reason:
          'No shard was specified in the explain API request, so this response explains a randomly chosen unassigned shard. There are no unassigned shards in this cluster.',
      },
      status: 400,
    };
    const { code, out } = await run(['cluster', 'allocation-explain'], error, { status: 400 });

    expect([code, out]).toEqual([0, 'no shard is unassigned: there is nothing to explain\n']);
  });
});

describe('completion', () => {
  const complete = (words: readonly string[]) => {
    const file = join(tmpdir(), `cluster-cli-completion-${process.pid}.bash`);
    writeFileSync(
      file,
      `${script}\nCOMP_WORDS=(${['cluster-cli', ...words].map((word) => `'${word}'`).join(' ')})\nCOMP_CWORD=${words.length}\n_cluster_cli\nprintf '%s\\n' "\${COMPREPLY[@]}"\n`,
    );
    return execFileSync('bash', [file]).toString().trim().split('\n');
  };
  let script = '';

  it('bash offers what may follow', async () => {
    script = (await run(['completion', 'bash'], '')).out;

    expect(complete(['clu'])).toEqual(['cluster-health', 'cluster']);
    expect(complete(['--format', 'json', 'cluster', 'de'])).toEqual(['decommission-node']);
    expect(complete(['cluster', 'decommission-node', '--wait'])).toEqual(['--wait-until-complete']);
    expect(complete(['--es-host', 'cluster', 'sn'])).toEqual(['snapshots']);
    expect(complete(['completion', 'f'])).toEqual(['fish']);
  });

  it.each(['zsh', 'fish'])('%s has a script of its own', async (shell) => {
    const { code, out } = await run(['completion', shell], '');

    expect(code).toBe(0);
    expect(out).toContain('decommission-node');
  });
});

describe('progress', () => {
  it.each([
    [{ because: '3 shards left' }, {}, '3 shards left'],
    [
      { because: '3 shards left', bytesLeft: 3 * 2 ** 30, endsAt: 3_600_000 },
      { bytesPerSecond: 2 ** 20, restMs: 3_072_000 },
      '3 shards left, 3.0 GiB to move, 1.0 MiB/s, done in 51 min 12 s, 1 h 0 min to the deadline',
    ],
    [
      { because: '3 shards left', bytesLeft: 9 * 2 ** 30, endsAt: 3_600_000 },
      { restMs: 9_216_000 },
      '3 shards left, 9.0 GiB to move, done in 2 h 33 min, 1 h 0 min to the deadline, it does not end in time',
    ],
  ])('%j', (progress, pace, expected) => {
    expect(describeProgress(progress, pace, 0)).toBe(expected);
  });

  it('names sizes and durations as people do', () => {
    expect([0, 1023, 1024, 1.5 * 2 ** 40].map(bytesText)).toEqual(['0 B', '1023 B', '1.0 KiB', '1.5 TiB']);
    expect([0, 59_400, 61_000, 7_260_000].map(durationText)).toEqual(['0 s', '59 s', '1 min 1 s', '2 h 1 min']);
  });

  it('an error is one line on a terminal, without colour when NO_COLOR is set', async () => {
    const yellow = { ...JSON.parse(health), status: 'red' };
    const plain = await run(['cluster-health', '--fail-unless', 'green'], yellow, {
      terminal: true,
      env: { NO_COLOR: '1' },
    });
    const coloured = await run(['cluster-health', '--fail-unless', 'green'], yellow, { terminal: true });

    expect(plain.err).toContain('error: refused');
    expect(coloured.err).toContain('\u001b[31merror\u001b[0m: refused');
  });
});
