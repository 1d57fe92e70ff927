import type { CommandSpec, OptionSpec } from '@drover/command-tree';
import { clusterUrl, doctor, format, watch } from './shared-options.ts';

const stack = {
  name: 'stack',
  value: 'name',
  env: 'DROVER_CLUSTER_STACK',
  default: 'search-cluster',
  summary: 'stack of the cluster',
} as const satisfies OptionSpec;

/** Commands of a deployed search cluster. */
export const clusterCommands = [
  {
    path: ['cluster', 'status'],
    summary: 'health, nodes with their disks and versions, snapshots, active alarms',
    details: ['Exit code 3 if a part could not be read; the rest is printed.'],
    options: [stack, clusterUrl, format, watch],
    examples: [
      ['cluster status', 'how the cluster is'],
      ['cluster status --watch', 'during an upgrade, a roll or a drain'],
    ],
  },
  {
    path: ['cluster', 'doctor'],
    ...doctor,
    options: [stack, clusterUrl, format, watch],
    examples: [['cluster doctor', 'what is wrong, and what to do']],
  },
  {
    path: ['cluster', 'cost'],
    summary: 'what the instances and volumes of the cluster cost in a month, by a price table',
    details: [
      'An estimate for what is there now: list prices of on-demand instances and gp3 volumes, times 730 hours. Load balancers, traffic, snapshots, functions, metrics and logs are not in it.',
    ],
    options: [
      stack,
      format,
      { name: 'prices', value: 'file', summary: 'your own price table (JSON), as for drover what-if' },
    ],
    examples: [['cluster cost --prices ours.json', 'with the prices of your region and contract']],
  },
  {
    path: ['cluster', 'destroy'],
    summary: 'deletes the cluster: a last snapshot, its instances without draining them, its stack',
    options: [
      stack,
      clusterUrl,
      { name: 'yes', summary: 'do it; without this, only print what would happen' },
      { name: 'skip-snapshot', summary: 'without a last snapshot' },
    ],
    examples: [['cluster destroy', 'what would be deleted']],
  },
  {
    path: ['cluster', 'upgrade'],
    summary: 'upgrades every node in place, one after the other',
    details: ['Exit code 10 if a check blocks it, 11 if it has to go on.'],
    options: [
      stack,
      clusterUrl,
      { name: 'to', value: 'version', required: true, summary: 'version of Elasticsearch, e.g. 9.5.3' },
      { name: 'dry-run', summary: 'only print the order and every check' },
      { name: 'resume', summary: 'go on with an upgrade that was started, from any machine' },
      {
        name: 'skip',
        value: 'check',
        list: 'repeated',
        summary: 'do without a check, by its name; may be given more than once',
      },
      {
        name: 'ui-stack',
        value: 'name',
        summary: 'stack of the web UI, if it is another one: says what is left to do there',
      },
      format,
    ],
    examples: [
      ['cluster upgrade --to 9.5.3 --dry-run', 'the order of the nodes, and what blocks it'],
      ['cluster upgrade --to 9.5.3 --resume', 'after an interruption'],
    ],
  },
  {
    path: ['cluster', 'grow'],
    summary: 'gives every data node a larger volume while it runs: nothing restarts, and no shard moves',
    details: [
      'Grows the volume of each data node in turn (EC2 ModifyVolume), and its file system as soon as the disk has the size, which takes about a minute a node. The size is kept in the state bucket: from now on a deployment or a new node with a smaller data_volume_size gets it too. May be repeated, and goes on after an interruption.',
      'Volumes never get smaller, and EC2 modifies a volume up to four times in 24 hours, each time after the one before is completed, which can take hours: choose a size that lasts. Needs separate_data_volume.',
      'Exit code 10 if it is refused or a node could not be grown, 11 if it has to go on later.',
    ],
    options: [
      stack,
      clusterUrl,
      {
        name: 'data-volume-size',
        value: 'GiB',
        required: true,
        kind: 'integer',
        range: [8, 16_384],
        summary: 'size of each volume from now on, e.g. 2048',
      },
      { name: 'dry-run', summary: 'only print the volumes, and what would be done or refused' },
      format,
    ],
    examples: [
      ['cluster grow --data-volume-size 2048', 'when disks fill up, and to go on after an interruption'],
      ['cluster grow --data-volume-size 2048 --dry-run', 'which volumes are smaller, and what is in the way'],
    ],
  },
  {
    path: ['cluster', 'roll'],
    summary: 'has every node take the programs and the configuration of the stack, one after the other',
    details: [
      'After a deployment of another version of Drover. No node is replaced; Elasticsearch is started again in place only where it needs that. Exit code 10 if a node could not take it: no other one is begun.',
    ],
    options: [
      stack,
      clusterUrl,
      { name: 'dry-run', summary: 'only print which nodes have it' },
      { name: 'back', summary: 'withdraw it first: every node takes what was before' },
      format,
    ],
    examples: [
      ['cluster roll', 'after a deployment, and to go on after an interruption'],
      ['cluster roll --back', 'when a node could not take it'],
    ],
  },
  {
    path: ['cluster', 'rotate-authority'],
    summary: "replaces the authority that signs the nodes' certificates, without a restart",
    details: [
      'In three steps: every node trusts the new one too, every node has a certificate of it, the old one is forgotten. Each begins when every node has shown, at its own transport port, that it has taken the one before. May be repeated, and goes on after an interruption, from any machine.',
      'An authority that is younger than a day counts as the one of this rotation, and is only confirmed. Exit code 10 if a node is in the way, 11 if it has to go on.',
    ],
    options: [
      stack,
      clusterUrl,
      { name: 'dry-run', summary: 'only print the phase, and what is in the way' },
      { name: 'again', summary: 'another one, although the last one is younger than a day' },
      format,
    ],
    examples: [
      ['cluster rotate-authority', 'before the authority ends, or after a node was taken over'],
      ['cluster rotate-authority --dry-run', 'how far it is'],
    ],
  },
  {
    path: ['cluster', 'release'],
    summary: 'terminates a retained node once it holds no shards',
    args: [{ name: 'instance', summary: 'instance id' }],
    options: [stack, clusterUrl],
    examples: [['cluster release i-0123456789abcdef0', 'a node that a drain has left']],
  },
] as const satisfies readonly CommandSpec[];
