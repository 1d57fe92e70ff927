import type { CommandSpec } from './types.ts';

const cat = (word: string, summary: string, more: Partial<CommandSpec> = {}): CommandSpec => ({
  path: ['cat', word],
  summary,
  args: [],
  options: [],
  examples: [[`cat ${word}`, summary]],
  ...more,
});

/** Tables that Elasticsearch renders itself; they are passed through as they come. */
export const catCommands: readonly CommandSpec[] = [
  cat('shards', 'list all shards and the nodes they are allocated to', {
    examples: [
      ['cat shards', 'every shard, with state, size and node'],
      ['--format json cat shards', 'the same as JSON, streamed'],
    ],
  }),
  cat('nodes', 'list the nodes, or one of them', {
    args: [{ name: 'NODE', optional: true, summary: 'id, name or address of one node' }],
    examples: [
      ['cat nodes', 'all nodes with load, roles and the elected master'],
      ['cat nodes 10.0.1.12', 'one node'],
    ],
  }),
  cat('snapshots', 'list snapshots', {
    args: [{ name: 'REPOSITORY', optional: true, summary: 'only this repository' }],
  }),
  cat('repositories', 'list snapshot repositories'),
  cat('allocation', 'show shards and disk of each data node'),
  cat('indices', 'list indices with health, documents and size'),
  cat('health', 'show the health as one line'),
];
