import type { ClusterStage } from '@drover/stage/testing';
import type { ClusterTrouble } from './cluster-trouble.ts';
import { runPrintedOnCluster } from './printed-commands.ts';

const shards = 3;
const settings = { number_of_shards: shards, number_of_replicas: 1 };
const index = 'events';
const stream = 'logs-app';

/** Documents by id, with who wrote them last. */
type Documents = ReadonlyMap<string, string>;

interface Written {
  /** Those of the newest snapshot. */
  readonly kept: Documents;
  /** Those that were acknowledged, until the nodes died. */
  readonly newest: Documents;
  readonly shardOf: ReadonlyMap<string, number>;
}

/** The documents of each stage, by index or data stream. */
const written = new WeakMap<ClusterStage, Map<string, Written>>();

const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => String(first + at));
const dataOf = ({ deployed, groups }: ClusterStage) => deployed.inService(groups.data);
const masterOf = ({ deployed, groups }: ClusterStage) => deployed.inService(groups.master)[0]!;

async function write({ deployed }: ClusterStage, name: string, ids: readonly string[], by: string): Promise<void> {
  for (const id of ids)
    await deployed.search('PUT', `/${name}/${name === stream ? '_create' : '_doc'}/${id}`, { '@timestamp': 0, by });
  await deployed.search('POST', `/${name}/_refresh`);
}

interface Hits {
  readonly _scroll_id: string;
  readonly hits: { readonly hits: readonly { readonly _id: string; readonly _source: { readonly by: string } }[] };
}

async function documentsOf({ deployed }: ClusterStage, name: string): Promise<Documents> {
  const { hits } = await deployed.search<Hits>('GET', `/${name}/_search?size=1000`);
  return new Map(hits.hits.map(({ _id, _source }) => [_id, _source.by]));
}

async function shardsOf({ deployed }: ClusterStage, name: string): Promise<ReadonlyMap<string, number>> {
  const found: [string, number][] = [];
  for (let id = 0; id < shards; id++) {
    const path = `/${name}/_search?scroll=1m&size=1000`;
    const { hits, _scroll_id } = await deployed.search<Hits>('POST', path, { slice: { id, max: shards } });
    await deployed.search('DELETE', '/_search/scroll', { scroll_id: _scroll_id });
    found.push(...hits.hits.map(({ _id }): [string, number] => [_id, id]));
  }
  return new Map(found);
}

const isOurs = (name: string) => /^(events|docs|\.ds-logs-app)/.test(name);

/** Two data nodes that together hold every copy of some shards of the index, but of no system index. */
async function fatalPair(stage: ClusterStage): Promise<readonly string[]> {
  const { deployed } = stage;
  const rows = await deployed.search<Readonly<Record<'index' | 'shard' | 'id', string>>[]>(
    'GET',
    '/_cat/shards?format=json&h=index,shard,id&expand_wildcards=all',
  );
  const nameOf = (row: (typeof rows)[number]) => `${row.index} ${row.shard}`;
  const lostWith = (pair: readonly string[]) => {
    const nodes = pair.map((id) => deployed.nodeOf(id).id);
    const safe = new Set(rows.filter(({ id }) => !nodes.includes(id)).map(nameOf));
    return rows.map(nameOf).filter((name) => !safe.has(name));
  };
  const [a, b, c] = dataOf(stage) as [string, string, string];
  const pairs = [
    [a, b],
    [b, c],
    [a, c],
  ];
  const fatal = pairs.find((pair) => {
    const lost = lostWith(pair);
    return [index, `.ds-${stream}`].every((name) => lost.some((one) => one.startsWith(name))) && lost.every(isOurs);
  });
  if (fatal === undefined) throw new Error('no two data nodes hold every copy of a shard of both');
  return fatal;
}

/** Of a healthy shard nothing may be missing; a lost one is as the snapshot has it. */
async function expectBack(stage: ClusterStage, fix: string, name: string): Promise<void> {
  const { kept, newest, shardOf } = written.get(stage)!.get(name)!;
  const lost = new Set(
    [...fix.matchAll(/"allocate_empty_primary":\{"index":"[^"]+","shard":(\d)/g)].map((m) => +m[1]!),
  );
  if (lost.size === 0 || lost.size === shards) throw new Error(`${lost.size} of ${shards} shards are lost`);
  const expected = new Map(
    [...shardOf].flatMap(([id, shard]) => {
      const by = (lost.has(shard) ? kept : newest).get(id);
      return by === undefined ? [] : [[id, by] as const];
    }),
  );
  const found = await documentsOf(stage, name);
  const wrong = [...new Set([...expected.keys(), ...found.keys()])].filter((id) => expected.get(id) !== found.get(id));
  if (wrong.length > 0)
    throw new Error(`${wrong.length} of ${expected.size} documents of ${name} are not as expected: ${wrong.join()}`);
}

/** Two of three data nodes die at once: an index and a data stream lose every copy of a shard. */
export const lostShardTrouble: ClusterTrouble = {
  check: 'cluster-not-green',
  verdict: 'problem',
  says: /red, \d+ shards are unassigned; primary \[[^\]]+\]\[\d\]: .*restored-/s,
  inputs: { masterCount: 1, dataCount: 3 },
  async cause(stage) {
    const { deployed } = stage;
    const template = { index_patterns: [stream], data_stream: {}, template: { settings } };
    await deployed.search('PUT', `/_index_template/${stream}`, template);
    await deployed.search('PUT', `/${index}`, { settings });
    await deployed.search('PUT', `/${index}/_alias/all-events`, { is_write_index: true });
    await write(stage, index, idsFrom(0, 40), 'before');
    await write(stage, stream, idsFrom(0, 40), 'before');
    const kept = new Map([
      [index, await documentsOf(stage, index)] as const,
      [stream, await documentsOf(stage, stream)],
    ]);
    const { exitCode, stderr } = await deployed.run(masterOf(stage), 'cluster-cli snapshots create backups --wait');
    if (exitCode !== 0) throw new Error(`no snapshot: ${stderr}`);
    await stage.pass(20);
    // Changed, deleted and written since.
    await write(stage, index, [...idsFrom(0, 10), ...idsFrom(100, 20)], 'after');
    await write(stage, stream, idsFrom(100, 20), 'after');
    const shardOf = await shardsOf(stage, index);
    for (const id of idsFrom(20, 10)) await deployed.search('DELETE', `/${index}/_doc/${id}`);
    await deployed.search('POST', `/${index}/_refresh`);
    written.set(
      stage,
      new Map([
        [index, { kept: kept.get(index)!, newest: await documentsOf(stage, index), shardOf }],
        [
          stream,
          { kept: kept.get(stream)!, newest: await documentsOf(stage, stream), shardOf: await shardsOf(stage, stream) },
        ],
      ]),
    );
    for (const id of await fatalPair(stage)) stage.world.machines.kill(id);
    await stage.pass(20);
  },
  alarms: ['cluster_not_green'],
  fix: /can come back, start it and wait; else .* cluster-cli snapshots restore backups \S+ --index \S+ --rename-prefix restored- --wait --yes; .*allocate_empty_primary.*; .*_reindex.*; cluster-cli api DELETE \S+; this loses what was written to /,
  async remedy(stage, fix) {
    await runPrintedOnCluster(stage, fix, masterOf(stage));
    const name = fix.includes(`--index ${stream}`) ? stream : index;
    if (fix.includes(`--index ${name}`)) await expectBack(stage, fix, name);
  },
};
