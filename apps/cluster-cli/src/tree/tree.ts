import { catCommands } from './cat.ts';
import { clusterCommands } from './cluster.ts';
import { globalOptions } from './globals.ts';
import { nodeCommands } from './node.ts';
import { snapshotCommands } from './snapshots.ts';
import type { ArgumentValues, CommandSpec, CommandTree, OptionValues } from './types.ts';

/** Every command, in the order of the help. */
export const commands = [
  {
    path: ['cluster-health'],
    summary: 'show the health of the cluster',
    details: ['Exits 0 for any colour, unless --fail-unless says otherwise.'],
    args: [],
    options: [
      {
        name: 'wait-for',
        value: 'COLOUR',
        choices: ['green', 'yellow'],
        summary: 'wait for this colour or a better one, up to an hour',
      },
      {
        name: 'fail-unless',
        value: 'COLOUR',
        choices: ['green', 'yellow'],
        summary: 'exit 3 unless the cluster has this colour or a better one',
      },
    ],
    examples: [
      ['cluster-health', 'names, colour, nodes and shards'],
      ['cluster-health --wait-for green', 'wait for it, up to an hour; exit 4 when it does not get green'],
      ['--quiet --format json cluster-health --fail-unless yellow', 'for a script'],
    ],
  },
  ...catCommands,
  ...clusterCommands,
  ...snapshotCommands,
  ...nodeCommands,
  {
    path: ['passwd'],
    summary: "change a user's password to a new random one, kept in its secret",
    details: [
      'Written as the pending version, changed in Elasticsearch, tried, promoted: at every moment one of the two versions works, and a run that died is resumed by the next.',
      'The option --username here says whose password changes; the global --username says who logs in.',
    ],
    args: [],
    options: [
      { name: 'username', value: 'USER', required: true, summary: 'whose password' },
      {
        name: 'new-password-secret',
        value: 'ID',
        summary: 'secret to keep it in; by default the one that the facts file names for the user',
      },
    ],
    examples: [
      ['passwd --username kibana_system', 'on a node'],
      ['--username elastic passwd --username app --new-password-secret app-password', 'for a user of your own'],
    ],
  },
  {
    path: ['api'],
    summary: "call Elasticsearch's API",
    details: ['Prints the body as it comes. Exits 1 when the status is 400 or above.'],
    args: [
      { name: 'METHOD', choices: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'], upperCase: true, summary: 'HTTP method' },
      { name: 'PATH', summary: 'path, with its query' },
    ],
    options: [{ name: 'data', short: 'd', value: 'JSON|@FILE|-', summary: 'body: text, a file, or standard input' }],
    examples: [
      ["api GET '/_cluster/settings?pretty'", 'the settings'],
      [`api PUT /_cluster/settings -d '{"persistent":{"cluster.routing.allocation.enable":"all"}}'`, 'change one'],
      [`api GET /logs/_search -d '{"size":1}'`, 'a GET with a body'],
      ['api POST /_bulk -d @documents.ndjson', 'lines from a file'],
    ],
  },
  {
    path: ['completion'],
    summary: 'print the completion script of a shell',
    args: [{ name: 'SHELL', choices: ['bash', 'zsh', 'fish'], summary: 'which shell' }],
    options: [],
    examples: [['completion bash > /etc/bash_completion.d/cluster-cli', 'install it for bash']],
  },
] as const satisfies readonly CommandSpec[];

/** Descriptions of the groups of commands. */
export const groups: Readonly<Record<string, string>> = {
  cat: 'tables that Elasticsearch renders',
  cluster: 'the life of nodes: launch, drain, clean up, explain',
  node: 'used by the configuration of a node',
  snapshots: 'backups: take, restore, list, repositories, policies',
};

/** All words of the command line. */
export const tree: CommandTree = { globalOptions, commands, groups };

type Command = (typeof commands)[number];
type NameOf<Path extends readonly string[]> = Path extends readonly [
  infer First extends string,
  infer Second extends string,
]
  ? `${First} ${Second}`
  : Path[0];
type CommandsByName = { readonly [Spec in Command as NameOf<Spec['path']>]: Spec };

/** The words of a command, e.g. `cluster reap`. */
export type CommandName = keyof CommandsByName;

/** The arguments and options that were given to a command, typed as the tree describes them. */
export interface CommandInput<Name extends CommandName> {
  readonly args: ArgumentValues<CommandsByName[Name]['args']>;
  readonly options: OptionValues<CommandsByName[Name]['options']>;
}
