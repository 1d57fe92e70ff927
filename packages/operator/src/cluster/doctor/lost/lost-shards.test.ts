import { expect, it } from 'vitest';
import type { ClusterFacts } from '../facts.ts';
import type { LostShards } from './lost-facts.ts';
import { bringBack } from './lost-shards.ts';

const hour = 3_600_000;
const backing = '.ds-logs-app-2026.01.05-000001';
const read = <T>(value: T) => ({ kind: 'read' as const, value });

const snapshot = {
  name: 'hourly-2',
  state: 'SUCCESS' as const,
  indices: ['docs', '.security-7', backing],
  dataStreams: ['logs-app'],
  featureStates: [{ feature: 'security', indices: ['.security-7'] }],
  includeGlobalState: true,
  startedAt: 8 * hour,
  endedAt: 8 * hour,
  failures: [],
  failedIndices: [],
};

const lost: LostShards = {
  index: 'docs',
  shards: [1],
  ofShards: 3,
  stale: undefined,
  others: 0,
  snapshots: [{ ...snapshot, name: 'hourly-3', state: 'PARTIAL' }, snapshot, { ...snapshot, name: 'hourly-1' }],
};

const node = (id: string, roles = ['data']) => ({ id, name: `ip-${id}`, ip: id, roles });
const disk = (nodeId: string, availableBytes: number) => ({ nodeId, totalBytes: 100, availableBytes });

const facts = {
  now: 10 * hour,
  topology: read({
    clusterName: 'logs',
    clusterUuid: 'u',
    nodes: [node('m', ['master']), node('a'), node('b'), node('c')],
  }),
  disks: read([disk('m', 99), disk('a', 20), disk('b', 60), disk('c', 90)]),
  records: read([{ nodeId: 'c' }]),
} as unknown as ClusterFacts;

const commandsIn = (text: string) =>
  text.split(/; |: (?=cluster-cli)/).filter((part) => part.startsWith('cluster-cli'));
const restore = 'cluster-cli snapshots restore backups hourly-2';

function reindex(from: string, to: string, slice: string): string {
  const body = `{"conflicts":"proceed","source":{"index":"${from}"${slice}},"dest":{"index":"${to}","op_type":"create"}}`;
  return `cluster-cli --request-timeout 86400 api POST '/_reindex?refresh=true' -d '${body}'`;
}

const reroute = (command: string, index: string, ...shards: number[]) => {
  const one = (shard: number) =>
    `{"${command}":{"index":"${index}","shard":${shard},"node":"ip-b","accept_data_loss":true}}`;
  return `cluster-cli api POST '/_cluster/reroute?metric=none' -d '{"commands":[${shards.map(one).join()}]}'`;
};

it.each<[string, Partial<LostShards>, readonly string[]]>([
  [
    'one shard of three',
    {},
    [
      `${restore} --index docs --rename-prefix restored- --wait --yes`,
      reroute('allocate_empty_primary', 'docs', 1),
      reindex('restored-docs', 'docs', ',"slice":{"id":1,"max":3}'),
      'cluster-cli api DELETE /restored-docs',
    ],
  ],
  [
    'two shards of three',
    { shards: [0, 2] },
    [
      `${restore} --index docs --rename-prefix restored- --wait --yes`,
      reroute('allocate_empty_primary', 'docs', 0, 2),
      reindex('restored-docs', 'docs', ',"slice":{"id":0,"max":3}'),
      reindex('restored-docs', 'docs', ',"slice":{"id":2,"max":3}'),
      'cluster-cli api DELETE /restored-docs',
    ],
  ],
  [
    'the only shard',
    { shards: [0], ofShards: 1 },
    [
      `${restore} --index docs --rename-prefix restored- --wait --yes`,
      reroute('allocate_empty_primary', 'docs', 0),
      reindex('restored-docs', 'docs', ''),
      'cluster-cli api DELETE /restored-docs',
    ],
  ],
  [
    'a shard of a data stream, whose backing indices take no new document',
    { index: backing },
    [
      `${restore} --index logs-app --rename-prefix restored- --wait --yes`,
      reroute('allocate_empty_primary', backing, 1),
      reindex('.ds-restored-logs-app-2026.01.05-000001', 'logs-app', ',"slice":{"id":1,"max":3}'),
      'cluster-cli api DELETE /_data_stream/restored-logs-app',
    ],
  ],
  [
    'a system index',
    { index: '.security-7', ofShards: 1, shards: [0] },
    [`${restore} --feature-states security --wait --yes`],
  ],
  ['an index that no snapshot holds', { snapshots: [] }, [reroute('allocate_empty_primary', 'docs', 1)]],
  [
    'a node that has a copy without the last writes',
    { stale: { shard: 1, node: 'ip-b' } },
    [reroute('allocate_stale_primary', 'docs', 1)],
  ],
])('the way back from lost copies is printed for %s', (_what, over, expected) => {
  const printed = bringBack({ ...lost, ...over }, facts);

  expect(printed).toMatch(/^if an instance that had a copy can come back, start it and wait; else /);
  expect(commandsIn(printed)).toEqual(expected);
});

it('the way back from lost copies says what it cannot keep, and that other indices are left', () => {
  const printed = bringBack({ ...lost, others: 2 }, facts);

  expect(printed).toMatch(
    /this loses what was written to \[docs\]\[1\] since hourly-2, 2 h.* ago, and brings back what was deleted there/,
  );
  expect(printed).toMatch(/then ask doctor again: primaries of 2 other indices are missing, too$/);
  expect(bringBack({ ...lost, snapshots: [] }, facts)).toContain('no successful snapshot holds docs');
});

it('while no data node is there to take a lost shard, the way back is to wait for one', () => {
  expect(bringBack(lost, { ...facts, disks: { kind: 'failed', message: 'timed out' } })).toMatch(
    /wait for a data node$/,
  );
});
