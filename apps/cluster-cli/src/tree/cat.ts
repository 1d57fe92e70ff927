import type { CommandSpec } from '@drover/command-tree';

/** Tables that Elasticsearch renders itself; they are passed through unchanged. */
export const catCommands = [
  {
    path: ['cat', 'shards'],
    summary: 'list all shards and the nodes they are allocated to',
    args: [],
    options: [],
    examples: [
      ['cat shards', 'every shard, with state, size and node'],
      ['--format json cat shards', 'the same as JSON, streamed'],
    ],
  },
  {
    path: ['cat', 'nodes'],
    summary: 'list the nodes, or one of them',
    args: [{ name: 'NODE', optional: true, summary: 'id, name or address of one node' }],
    options: [],
    examples: [
      ['cat nodes', 'all nodes with load, roles and the elected master'],
      ['cat nodes 10.0.1.12', 'one node'],
    ],
  },
  {
    path: ['cat', 'snapshots'],
    summary: 'list snapshots',
    args: [{ name: 'REPOSITORY', optional: true, summary: 'only this repository' }],
    options: [],
    examples: [['cat snapshots', 'list snapshots']],
  },
  {
    path: ['cat', 'repositories'],
    summary: 'list snapshot repositories',
    args: [],
    options: [],
    examples: [['cat repositories', 'list snapshot repositories']],
  },
  {
    path: ['cat', 'allocation'],
    summary: 'show shards and disk of each data node',
    args: [],
    options: [],
    examples: [['cat allocation', 'show shards and disk of each data node']],
  },
  {
    path: ['cat', 'indices'],
    summary: 'list indices with health, documents and size',
    args: [],
    options: [],
    examples: [['cat indices', 'list indices with health, documents and size']],
  },
  {
    path: ['cat', 'health'],
    summary: 'show the health as one line',
    args: [],
    options: [],
    examples: [['cat health', 'show the health as one line']],
  },
] as const satisfies readonly CommandSpec[];
