/** Writes docs/reference/metrics.md: each metric of `core/names` needs a meaning here, or the types are wrong. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { metrics as fleetMetrics, groupDimension } from '@drover/core/names/runner-fleet';
import { clusterDimension, metrics as clusterMetrics, metricNamespace } from '@drover/core/names/search-cluster';
import { wrapMarkdown } from './wrap-markdown.ts';

/** The path of the page. */
export const metricsPage = fileURLToPath(new URL('../../docs/reference/metrics.md', import.meta.url));

const fleet: Readonly<Record<keyof typeof fleetMetrics, string>> = {
  idle: 'runners that are online and without a job; the fleet scales on it in idle mode',
  wanted: 'runners to add while none is idle, at most `scale_up_limit`',
  idleTarget: 'the idle target in force, which schedules change',
  busy: 'runners with a job',
  offline: 'runners of instances in service that are registered but offline',
  rateLimitRemaining: 'requests that GitHub still accepts in this hour',
  hookAge: 'age of the oldest lifecycle hook that holds an instance',
  registrationFailures: 'launches that could not be registered because GitHub rejected the credential',
  missing: 'instances in service without a registered runner',
  bootFailures: 'boots that failed',
  runnerAge: 'days since the release of the runner software; with `runner_release_date` only',
  jobs: 'one for each job that ended',
  jobSeconds: 'run time of each job that ended',
  runnerDaysLeft: 'days until GitHub gives no more jobs to a version in use',
  outdatedHosts: 'hosts that a roll-out has still to replace: template, mode, age or runner software',
  rolloutStopped: '1 while a roll-out stands because no host of the new template serves and its launch failed, else 0',
  assignedJobs: 'jobs mode: jobs that GitHub has assigned to the fleet',
  runningJobs: 'jobs mode: those of them that run',
  waitingJobs: 'jobs mode: those of them that wait',
  demandSignalAge: 'jobs mode: age of the last news of waiting jobs; at rest it alone is published, every third minute',
  groupRoom: 'fleets with types: instances that the group with the least room may still launch',
  launchAge: 'fleets with types: how long the oldest launch has waited in a hook',
  groupsEmpty: 'fleets with types: groups with a minimum above 0 and no instance in service',
  jobsNotTaken: 'jobs mode: jobs that wait although as many runners have been idle for 15 minutes',
  imageBakesFailed: 'with `image_bake_days`: groups whose last bake failed',
};

const cluster: Readonly<Record<keyof typeof clusterMetrics, string>> = {
  notGreen: '0 while the cluster is green, else 1',
  snapshotAge: 'age of the newest successful snapshot',
  diskUsed: 'use of the fullest disk of the data nodes, in percent',
  drain: 'how long the longest drain has been running, or a termination has waited because its drain is refused',
  retained: 'instances in `Terminating:Retained`',
  certificateDays: "days until the first certificate of a node, or the nodes' authority, ends",
  drillAge: 'time since the last restore drill that succeeded',
  drillFailed: '1 when the last restore drill failed, else 0',
  blockedIndices: 'indices that Elasticsearch does not write to because a disk is above the flood stage',
  heapUsed: 'use of the fullest heap, in percent',
  rejected: 'writes and searches that nodes refused because their queues were full, since the count before',
  atMaximum:
    'groups whose disks have been too full for an hour and that may not grow any more; only where groups grow by themselves',
  rollStopped: '1 while a node could not take the software of the stack, else 0',
  mastersInOneZone:
    '1 while the loss of one zone would take the majority of the masters, though they could be spread; else 0',
};

/** The metrics as Markdown. */
export const metricsReference = (): string =>
  [
    '# Metrics',
    '',
    '<!-- Written by scripts/docs/metrics.ts from packages/core/src/names: change those, not this. -->',
    '',
    'All are in CloudWatch. The constructs have a method for most of them (`fleet.metricIdleRunners()`), and `metric(name)` for each.',
    '',
    '## Runner fleet',
    '',
    `Namespace \`<vendor>/ActionsRunner\` (\`Drover/ActionsRunner\` unless the input \`vendor\` says otherwise), dimension \`${groupDimension}\`.`,
    '',
    ...table(fleetMetrics, fleet),
    '',
    '## Search cluster',
    '',
    `Namespace \`${metricNamespace}\`, dimension \`${clusterDimension}\`. The elected master publishes them every five minutes.`,
    '',
    ...table(clusterMetrics, cluster),
    '',
    'Both kinds of exporters on search nodes (`prometheus-node-exporter`, port 9100, and `prometheus-elasticsearch-exporter`, port 9114)',
    'serve many more to Prometheus.',
    '',
  ].join('\n');

const table = <Key extends string>(names: Readonly<Record<Key, string>>, meanings: Readonly<Record<Key, string>>) => [
  '| Metric | Meaning |',
  '|---|---|',
  ...(Object.keys(names) as Key[]).map((key) => `| \`${names[key]}\` | ${meanings[key]} |`),
];

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(metricsPage, wrapMarkdown(metricsReference()));
