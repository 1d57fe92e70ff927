import { type CommandSpec, valueOption } from '@drover/command-tree';
import { hooks, waits } from '@drover/core/names/search-cluster';
import { waitUntilComplete } from './wait-option.ts';

/** The life of nodes. */
export const clusterCommands = [
  {
    path: ['cluster', 'allocation-explain'],
    summary: 'explain why a shard is where it is, or unassigned',
    details: [
      'Without options Elasticsearch picks an unassigned shard; when there is none, the command says so and exits 0.',
      'One shard is named by --index, --shard and --primary or --replica together.',
    ],
    options: [
      { name: 'index', value: 'TEXT', summary: 'index name' },
      { name: 'shard', value: 'INTEGER', kind: 'integer', summary: 'shard id; 0 is the first' },
      { name: 'primary', summary: 'the primary', conflicts: ['replica'] },
      { name: 'replica', summary: 'a replica' },
    ],
    examples: [
      ['cluster allocation-explain', 'why is something unassigned?'],
      ['cluster allocation-explain --index logs --shard 0 --primary', 'why is this primary where it is?'],
    ],
  },
  {
    path: ['cluster', 'commission-node'],
    summary: 'wait until a new node is settled, then let its launch go on',
    details: [
      'Runs on the node at instance launch. Waits until the node is in the cluster of the others and its recoveries are done over several readings.',
      'With a hook the launch is kept alive meanwhile and completed with CONTINUE. When the time is over the refresh is cancelled; a node without shards is abandoned, any other is drained first.',
    ],
    options: [
      waitUntilComplete(waits.commissionSeconds),
      { name: 'complete-lifecycle-action', value: 'HOOK', summary: 'launch hook to keep open and to complete' },
    ],
    examples: [
      [`cluster commission-node --complete-lifecycle-action ${hooks.launching.name}`, 'at the end of cloud-init'],
    ],
  },
  {
    path: ['cluster', 'decommission-node'],
    summary: 'drain a node and let its termination go on',
    details: [
      'Refuses unless the cluster is green, the masters keep their quorum, and every last copy has a place (exit 3); then registers the shutdown, one node at a time over both groups, waits until the shards have moved, and completes the hook.',
      'Refuses what, by its own forecast, does not end in time (exit 3); an instance in Terminating:Wait is drained all the same, with a warning.',
      'May die at any moment: the next run finishes the work. Exit 4 when the time is over, 5 when a shard cannot move; the message names shard, rule and the command that helps.',
    ],
    args: [{ name: 'NODE', optional: true, summary: 'id, name or address; the local node by default' }],
    options: [
      { name: 'reason', value: 'TEXT', required: true, summary: 'why, kept in the shutdown record' },
      { name: 'only-if-terminating', summary: 'do nothing unless this instance is in Terminating:Wait' },
      waitUntilComplete(waits.decommissionSeconds),
      { name: 'complete-lifecycle-action', summary: 'keep the termination hook open and complete it' },
      { ...valueOption('lifecycle-hook', 'HOOK', 'name of the termination hook'), default: hooks.terminating.name },
      { name: 'allow-timeout', summary: 'begin although the forecast says that it does not end in time' },
      { name: 'dry-run', summary: 'only say what would happen, and how long it would take' },
    ],
    examples: [
      ['cluster decommission-node --reason "bigger disk"', 'drain this node by hand'],
      ['cluster decommission-node --reason test --dry-run data-2', 'could data-2 go now? 0 yes, 3 no'],
      [
        `--quiet cluster decommission-node --only-if-terminating --reason instance_refresh --complete-lifecycle-action --wait-until-complete ${waits.scheduledDecommissionSeconds}`,
        'what runs every 5 minutes on each node',
      ],
    ],
  },
  {
    path: ['cluster', 'prepare-restart'],
    summary: 'stop this node for a moment, its data in place',
    details: [
      'Refuses unless the cluster is green, the masters keep their quorum, and every shard of this node has a started copy elsewhere (exit 3). Then registers the restart, one node at a time over both groups, flushes, waits until the leases of its copies are current, so that no file has to be copied afterwards, and until the function cluster_watch has taken the node out of its load balancer and open requests have ended, and stops Elasticsearch.',
      'Copies are waited for an hour; end it with finish-restart. May die at any moment: run it again. Not for a node that leaves: that is decommission-node, whose rules are stricter.',
    ],
    options: [
      { name: 'reason', value: 'TEXT', required: true, summary: 'why, kept in the shutdown record' },
      waitUntilComplete(waits.restartSeconds, 'longest wait for the lease, for green and for the leases'),
      {
        name: 'allow-missing-replicas',
        summary: 'go on while yellow, when nothing moves: for clusters of two versions',
      },
      { name: 'allow-unavailable', summary: 'go on although shards or the masters are unavailable meanwhile' },
    ],
    examples: [
      ['cluster prepare-restart --reason "new JVM options"', 'then change them, then: cluster finish-restart'],
    ],
  },
  {
    path: ['cluster', 'finish-restart'],
    summary: 'start this node again and wait until the cluster has it back',
    details: [
      'Starts Elasticsearch if it does not run, refuses another node id, another cluster or an older version than was stopped (exit 3), lets it get requests again, deletes the restart record, and waits until the cluster is green (exit 4 when it is not in time).',
    ],
    options: [
      waitUntilComplete(waits.restartSeconds),
      { name: 'allow-missing-replicas', summary: 'do not wait for replicas that no node may take yet' },
    ],
    examples: [['cluster finish-restart', 'after prepare-restart']],
  },
  {
    path: ['cluster', 'reap'],
    summary: 'clear what nodes that are gone have left behind',
    details: [
      'Runs every 5 minutes on the masters. Deletes shutdown records of nodes that left over an hour ago, clears voting exclusions when every excluded node is gone, completes the hook of a node that left a green cluster, or releases its retained instance. Ends the launch of an instance whose status checks of EC2 have failed for 15 minutes. Reports what it may not touch.',
    ],
    examples: [['cluster reap', 'clean up, and print what was done']],
  },
] as const satisfies readonly CommandSpec[];
