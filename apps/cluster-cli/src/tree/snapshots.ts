import { snapshotRepository } from '@drover/core/names/search-cluster';
import type { CommandSpec } from './types.ts';

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
      {
        name: 'bucket-name',
        value: 'BUCKET',
        summary: 'bucket for a missing repository; by default from the facts file',
      },
      { name: 'wait', summary: 'wait for its end; anything but success fails' },
    ],
    examples: [[`snapshots create ${snapshotRepository} --wait`, 'take one now and wait for it']],
  },
  {
    path: ['snapshots', 'restore'],
    summary: 'bring indices back from a snapshot',
    details: [
      'Never touches an open index: restore beside it with --rename-prefix, or close it first. System indices come back only by name.',
    ],
    args: [repository, snapshot],
    options: [
      { name: 'index', value: 'PATTERN', summary: 'which indices; * stands for any text, commas separate several' },
      { name: 'rename-prefix', value: 'PREFIX', summary: 'put this before the restored names' },
      { name: 'wait', summary: 'wait until every primary is back' },
      yes,
    ],
    examples: [
      [
        `snapshots restore ${snapshotRepository} search-2026-01-05_01-30-00.000000 --index 'logs-*' --rename-prefix restored- --wait --yes`,
        'look at old logs beside the new ones',
      ],
    ],
  },
  {
    path: ['snapshots', 'status'],
    summary: 'show how far a snapshot is, shard by shard',
    args: [repository, snapshot],
    options: [],
    examples: [[`snapshots status ${snapshotRepository} search-2026-01-05_01-30-00.000000`, 'as JSON']],
  },
  {
    path: ['snapshots', 'list'],
    summary: 'list snapshots: id repository status start_epoch start_time end_epoch end_time duration indices',
    args: [{ ...repository, optional: true }],
    options: [],
    examples: [['snapshots list', 'of all repositories']],
  },
  {
    path: ['snapshots', 'create-repository'],
    summary: 'register a bucket as repository and verify it on every node',
    args: [repository, { name: 'BUCKET', summary: 'S3 bucket' }],
    options: [],
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
      'Registers the repository first and lets retention run hourly. FILE (JSON or YAML, as GET /_slm/policy answers) replaces the four built-in policies.',
    ],
    args: [{ name: 'FILE', optional: true, summary: 'policies to install instead of the built-in ones' }],
    options: [{ name: 'check', summary: 'change nothing; exit 3 when something drifted' }],
    examples: [
      ['snapshots policy', 'hourly, daily, weekly and monthly'],
      ['snapshots policy --check', 'did somebody change them?'],
    ],
  },
] as const satisfies readonly CommandSpec[];
