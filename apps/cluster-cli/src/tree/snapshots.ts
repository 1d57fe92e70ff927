import { type CommandSpec, valueOption } from '@drover/command-tree';
import { drillPrefix, snapshotRepository } from '@drover/core/names/search-cluster';

const repository = { name: 'REPOSITORY', summary: `name of the repository, e.g. ${snapshotRepository}` } as const;
const snapshot = { name: 'SNAPSHOT', summary: 'name of the snapshot' } as const;
const yes = { name: 'yes', summary: 'do not ask' } as const;

/** Backups. */
export const snapshotCommands = [
  {
    path: ['snapshots', 'create'],
    summary: 'start a snapshot; prints its name',
    details: ['The repository is registered first if it is missing and a bucket is known.'],
    args: [repository],
    options: [
      valueOption('bucket-name', 'BUCKET', 'bucket for a missing repository; by default from the facts file'),
      { name: 'wait', summary: 'wait for its end; anything but success fails' },
    ],
    examples: [[`snapshots create ${snapshotRepository} --wait`, 'take one now and wait for it']],
  },
  {
    path: ['snapshots', 'restore'],
    summary: 'bring indices back from a snapshot',
    details: [
      'Never touches an open index: restore beside it with --rename-prefix, or close it first. Data streams are named like indices and come back as a whole. System indices come back only with their feature.',
      'With --feature-states or --include-global-state and without --index no other index comes back. The feature security replaces users and passwords; the global state replaces settings, templates and policies. To recover a whole cluster: snapshots recover-cluster.',
    ],
    args: [repository, snapshot],
    options: [
      valueOption('index', 'PATTERN', 'which indices and data streams; * stands for any text, commas separate several'),
      valueOption('feature-states', 'NAMES', 'features whose system indices come back, e.g. kibana,security'),
      { name: 'include-global-state', summary: 'also settings, templates and policies of the snapshot' },
      {
        ...valueOption('rename-prefix', 'PREFIX', 'put this before the restored names'),
        conflicts: ['rename-pattern'],
      },
      { name: 'rename-pattern', value: 'REGEXP', summary: 'part of the names that --rename-replacement replaces' },
      { name: 'rename-replacement', value: 'TEXT', summary: 'takes its place; $1 is its first group' },
      { name: 'dry-run', summary: 'print what would come back and change nothing' },
      { name: 'wait', summary: 'wait until every primary is back' },
      yes,
    ],
    examples: [
      [
        `snapshots restore ${snapshotRepository} search-2026-01-05_01-30-00.000000 --index 'logs-*' --rename-prefix restored- --wait --yes`,
        'look at old logs beside the new ones',
      ],
      [
        `snapshots restore ${snapshotRepository} search-2026-01-05_01-30-00.000000 --feature-states kibana --wait --yes`,
        'bring the dashboards of Kibana back',
      ],
    ],
  },
  {
    path: ['snapshots', 'recover-cluster'],
    summary: 'bring everything back into an empty cluster: state, users, features, data',
    details: [
      'Run it as root on a node of the new cluster, with Kibana stopped. Without --snapshot it takes the newest complete one that holds data. Each step may be repeated: a run that died goes on with --resume. Ends with a table of what is back; exit 1 when something is missing.',
      'Users and passwords are those of the snapshot, except that the secrets of the stack hold: their passwords are set again. The bucket of another cluster is registered read-only.',
    ],
    options: [
      { name: 'snapshot', value: 'SNAPSHOT', summary: 'name of the snapshot; by default the newest that will do' },
      { name: 'bucket-name', value: 'BUCKET', summary: 'bucket of another cluster; by default that of this one' },
      { name: 'resume', summary: 'go on with a recovery that has begun' },
      { name: 'dry-run', summary: 'print the steps that are left and change nothing' },
      yes,
    ],
    examples: [
      ['snapshots recover-cluster --dry-run', 'which snapshot, and which steps'],
      ['snapshots recover-cluster --yes', 'on a node of the new cluster, as root'],
      ['snapshots recover-cluster --resume', 'after a run that died'],
    ],
  },
  {
    path: ['snapshots', 'drill'],
    summary: 'restore one index of the newest snapshot beside the live one, compare and delete it',
    details: [
      `The elected master does this by itself every week (input restore_drill_days). The copy is called ${drillPrefix}…, has no replica, alias or lifecycle, and is as large as half of the data nodes' room below the low disk watermark at most. Exit 1 when it is not as it should be, 3 when the cluster is not ready for it.`,
    ],
    examples: [['--format json snapshots drill', 'try a restore now']],
  },
  {
    path: ['snapshots', 'status'],
    summary: 'show how far a snapshot is, shard by shard',
    args: [repository, snapshot],
    examples: [[`snapshots status ${snapshotRepository} search-2026-01-05_01-30-00.000000`, 'as JSON']],
  },
  {
    path: ['snapshots', 'list'],
    summary: 'list snapshots: id repository status start_epoch start_time end_epoch end_time duration indices',
    args: [{ ...repository, optional: true }],
    examples: [['snapshots list', 'of all repositories']],
  },
  {
    path: ['snapshots', 'create-repository'],
    summary: 'register a bucket as repository and verify it on every node',
    args: [repository, { name: 'BUCKET', summary: 'S3 bucket' }],
    examples: [[`snapshots create-repository ${snapshotRepository} my-bucket`, 'says which node failed and why']],
  },
  {
    path: ['snapshots', 'delete-repository'],
    summary: 'forget a repository; the snapshots in the bucket stay',
    args: [repository],
    options: [yes],
    examples: [['snapshots delete-repository old --yes', 'without a question']],
  },
  {
    path: ['snapshots', 'policy'],
    summary: 'install the snapshot policies and report created, changed or unchanged',
    details: [
      'Registers the repository first and lets retention run hourly. FILE (JSON or YAML, as GET /_slm/policy returns) replaces the four built-in policies.',
    ],
    args: [{ name: 'FILE', optional: true, summary: 'policies to install instead of the built-in ones' }],
    options: [{ name: 'check', summary: 'change nothing; exit 3 when something drifted' }],
    examples: [
      ['snapshots policy', 'hourly, daily, weekly and monthly'],
      ['snapshots policy --check', 'did someone change them?'],
    ],
  },
] as const satisfies readonly CommandSpec[];
