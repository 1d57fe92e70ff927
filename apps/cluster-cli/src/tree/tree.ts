import {
  type CommandSpec,
  type CommandTree,
  type CommandInput as InputOf,
  type CommandName as NameIn,
  valueOption,
} from '@drover/command-tree';
import { catCommands } from './cat.ts';
import { clusterCommands } from './cluster.ts';
import { globalOptions } from './globals.ts';
import { nodeCommands } from './node.ts';
import { snapshotCommands } from './snapshots.ts';

/** Every command, in the order of the help. */
const commands = [
  {
    path: ['cluster-health'],
    summary: 'show the health of the cluster',
    details: ['Exits 0 for any colour, unless --fail-unless says otherwise.'],
    options: [
      {
        ...valueOption('wait-for', 'COLOUR', 'wait for this colour or a better one, up to an hour'),
        choices: ['green', 'yellow'],
      },
      {
        ...valueOption('fail-unless', 'COLOUR', 'exit 3 unless the cluster has this colour or a better one'),
        choices: ['green', 'yellow'],
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
    options: [
      { name: 'username', value: 'USER', required: true, summary: 'whose password' },
      valueOption(
        'new-password-secret',
        'ID',
        'secret to keep it in; by default the one that the facts file names for the user',
      ),
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
    examples: [['completion bash > /etc/bash_completion.d/cluster-cli', 'install it for bash']],
  },
] as const satisfies readonly CommandSpec[];

/** All words of the command line. */
export const tree = {
  program: 'cluster-cli',
  summary: 'Manage an Elasticsearch cluster that runs in autoscaling groups.',
  details: [
    'Exit codes: 0 done, 1 failed, 2 usage, 3 refused by a safety check, 4 timed out, 5 stalled.',
    'Data goes to stdout, everything else to stderr.',
  ],
  examples: [
    ['cluster-health', 'how is the cluster?'],
    ['--format json cat nodes', 'the nodes, for a script'],
    ['cluster decommission-node --reason upgrade --dry-run', 'could this node go now?'],
    ['cluster decommission-node --help', 'what a command does'],
  ],
  globalOptions,
  commands,
  groups: {
    cat: 'tables that Elasticsearch renders',
    cluster: 'the life of nodes: launch, drain, clean up, explain',
    node: 'used by the configuration of a node',
    snapshots: 'backups: take, restore, list, repositories, policies',
  },
} as const satisfies CommandTree;

/** The words of a command, e.g. `cluster reap`. */
export type CommandName = NameIn<typeof tree>;

/** The arguments and options that were given to a command. */
export type CommandInput<Name extends CommandName> = InputOf<typeof tree, Name>;
