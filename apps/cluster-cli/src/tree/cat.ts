import type { CommandSpec } from '@drover/command-tree';

const rendered = <const Name extends string>(name: Name, summary: string) =>
  ({ path: ['cat', name], summary, examples: [[`cat ${name}`, summary]] }) as const;

/** Tables that Elasticsearch renders itself; they are passed through unchanged. */
export const catCommands = [
  {
    path: ['cat', 'shards'],
    summary: 'list all shards and the nodes they are allocated to',
    examples: [
      ['cat shards', 'every shard, with state, size and node'],
      ['--format json cat shards', 'the same as JSON, streamed'],
    ],
  },
  {
    path: ['cat', 'nodes'],
    summary: 'list the nodes, or one of them',
    args: [{ name: 'NODE', optional: true, summary: 'id, name or address of one node' }],
    examples: [
      ['cat nodes', 'all nodes with load, roles and the elected master'],
      ['cat nodes 10.0.1.12', 'one node'],
    ],
  },
  {
    ...rendered('snapshots', 'list snapshots'),
    args: [{ name: 'REPOSITORY', optional: true, summary: 'only this repository' }],
  },
  rendered('repositories', 'list snapshot repositories'),
  rendered('allocation', 'show shards and disk of each data node'),
  rendered('indices', 'list indices with health, documents and size'),
  rendered('health', 'show the health as one line'),
] as const satisfies readonly CommandSpec[];
