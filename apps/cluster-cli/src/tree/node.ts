import { type CommandSpec, valueOption } from '@drover/command-tree';
import { nextSoftware, searchNodeFacts, versionVariable, waits } from '@drover/core/names/search-cluster';
import { waitUntilComplete } from './wait-option.ts';

/** Commands that the configuration of a node calls; operators rarely type them. */
export const nodeCommands = [
  {
    path: ['node', 'prepare'],
    summary: 'write down what the configuration agent must know of this node',
    details: [
      `Writes ${searchNodeFacts.file}. On the masters of a cluster that has never formed it waits, up to 20 minutes, until all of them are visible, and one of them writes the list of initial masters once for all; afterwards there is no such list again.`,
      'Once the node has its certificate, it also publishes for how many days that is good.',
      'The version is that of the process, or of the package where nothing runs: an upgrade that failed does not go on by itself.',
      'A new node that is older than every node of the running cluster is refused (exit 1): it could not join. If the cluster was upgraded after the first run, the launch is given up.',
    ],
    options: [
      valueOption(
        'elasticsearch-version',
        'VERSION',
        `the version for this run alone, while Elasticsearch is stopped; also from ${versionVariable}`,
      ),
    ],
    examples: [['node prepare', 'before each run of the configuration agent']],
  },
  {
    path: ['node', 'pre-flight'],
    summary: 'fetch and check what an upgrade of this node installs, while it runs',
    details: [
      'The package and every plugin in that version, and room for them. Exit 1 with the reason of apt or curl: nothing was changed.',
    ],
    options: [
      { name: 'elasticsearch-version', value: 'VERSION', required: true, summary: 'the version of the upgrade' },
    ],
    examples: [['node pre-flight --elasticsearch-version 9.5.3', 'whether this node could be upgraded']],
  },
  {
    path: ['node', 'secret'],
    summary: 'print a secret of this node to a pipe',
    args: [{ name: 'NAME', summary: 'fact that names the secret, e.g. elastic_secret' }],
    options: [
      {
        name: 'stage',
        value: 'STAGE',
        choices: ['AWSCURRENT', 'AWSPENDING', 'AWSPREVIOUS'],
        default: 'AWSCURRENT',
        summary: 'which version',
      },
    ],
    examples: [['node secret ca_certificate_secret > ca.crt', 'refused on a terminal']],
  },
  {
    path: ['node', 'abandon'],
    summary: 'give up the launch of this instance, and the refresh that launched it',
    details: [
      'Refuses, with exit 3, when the node holds shards or may hold them, and when the instance is not launching.',
      'Stops Elasticsearch before it lets the instance go, and starts it again when a shard has come meanwhile.',
    ],
    options: [{ name: 'reason', value: 'TEXT', required: true, summary: 'why, for the log' }],
    examples: [['node abandon --reason "puppet failed"', 'what the boot script does when the configuration fails']],
  },
  {
    path: ['node', 'settle'],
    summary: 'set what belongs to the whole cluster: repository, policies, passwords of elastic and kibana_system',
    details: [
      'Prints nothing when all is as it should be. Safe to repeat.',
      'Has Elasticsearch store the password of elastic once; exit 1 when the secret does not let it in.',
      'Notifies a deployment that waits for it that every node has joined and the cluster is green.',
    ],
    examples: [['--quiet node settle', 'what a timer runs on the masters']],
  },
  {
    path: ['node', 'certificates'],
    summary: 'which authorities Elasticsearch on this node trusts, and which one signed its own certificate',
    details: [
      'Read from a TLS handshake with its transport port, not from files. Waits up to two minutes until that is what the files say: Elasticsearch reads changed files every five seconds.',
      'Exit 4 if it does not read them.',
    ],
    examples: [['--format json node certificates', 'what drover cluster rotate-authority runs on each node']],
  },
  {
    path: ['node', 'take-software'],
    summary: 'take the programs and the configuration that were fetched for this node',
    details: [
      `What drover cluster roll runs on each node, from ${nextSoftware}: under the lease of restarts, one node at a time, while the cluster is green. Applies the configuration twice, the second run must change nothing, and starts Elasticsearch again in place if it reads other files at its start.`,
      'Exit 3 or 4: nothing was changed. Exit 1: it failed, and the tag drover:software of the instance says why.',
    ],
    options: [waitUntilComplete(waits.restartSeconds, 'longest wait for the lease, and for the node to be back')],
    examples: [['node take-software', 'again, after a run that was interrupted']],
  },
] as const satisfies readonly CommandSpec[];
