import type { CommandSpec, OptionSpec } from '@drover/command-tree';
import { logSources } from '@drover/core/names/runner-fleet';
import { stack, type } from './fleet-options.ts';
import { readPastTime } from './past-time.ts';
import { doctor, format, watch } from './shared-options.ts';

const since = {
  name: 'since',
  value: 'time',
  read: readPastTime,
  form: '90m, 6h, 7d, or a time such as 2026-11-15T08:00Z',
} as const;

const json = { name: 'json', summary: 'the same as --format json' } as const satisfies OptionSpec;

/** Commands of a deployed runner fleet. */
export const fleetCommands = [
  {
    path: ['fleet', 'status'],
    summary: 'capacity, runners, jobs, alarms and remaining requests of the platform',
    details: ['Exit code 3 if the platform could not be read.'],
    options: [stack, type, format, watch],
    examples: [
      ['fleet status', 'once'],
      ['fleet status --stack build-fleet --watch 30', 'another fleet, again every 30 seconds'],
    ],
  },
  {
    path: ['fleet', 'runners'],
    summary: 'every runner with its instance and lifecycle state',
    options: [stack, type, format, watch],
    examples: [['fleet runners --format json', 'for a script']],
  },
  {
    path: ['fleet', 'installations'],
    summary: 'apps on the organisation: app_id and app_slug',
    options: [stack, format],
    examples: [['fleet installations', 'to find the app_id of a GitHub App']],
  },
  {
    path: ['fleet', 'rate-limit'],
    summary: "remaining requests of the platform's rate limits",
    options: [stack, format],
    examples: [['fleet rate-limit', 'how many requests are left, and until when']],
  },
  {
    path: ['fleet', 'logs'],
    summary: 'what a function or an instance logged, oldest first; also of an instance that is gone',
    details: [
      'An instance sends cloud-init, puppet, agent, runner (the service actions-runner), hook (job hooks) and jobs as they are written; a boot that failed sends boot. With --format json each line is an object of its own.',
    ],
    args: [
      {
        name: 'function|instance',
        summary: 'registration, deregistration, record_metric, runner_version, demand (jobs mode), or an instance id',
      },
    ],
    options: [
      stack,
      format,
      {
        name: 'minutes',
        value: 'number',
        kind: 'integer',
        range: [1, 1_000_000],
        default: 60,
        summary: 'how far back',
      },
      { ...since, summary: 'instead of --minutes: 90m, 6h, 7d, or a time such as 2026-11-15T08:00Z' },
      { name: 'source', value: 'name', choices: logSources, summary: 'of an instance: only this log' },
      { name: 'grep', value: 'text', summary: 'only lines with this text' },
      { name: 'follow', summary: 'go on with new lines as they come, until Ctrl-C' },
      { name: 'all', summary: 'of a function: also what Lambda writes about each run (START, END, REPORT)' },
    ],
    examples: [
      ['fleet logs registration --minutes 30', 'what the function did in the last half hour'],
      ['fleet logs i-0123456789abcdef0 --since 6h', 'everything that an instance sent'],
      ['fleet logs i-0123456789abcdef0 --source boot --since 7d', 'why its boot failed'],
    ],
  },
  {
    path: ['fleet', 'reconcile'],
    summary: 'runs the sweep now: removes leftovers that two readings found',
    options: [stack, type, format, { name: 'dry-run', summary: 'only print what would be done' }],
    examples: [['fleet reconcile --dry-run', 'what would be removed']],
  },
  {
    path: ['fleet', 'complete-termination'],
    summary: 'completes the termination of an instance in Terminating:Wait now; a job there is lost',
    args: [{ name: 'instance', summary: 'instance id' }],
    options: [stack, type, { name: 'yes', summary: 'do not ask' }],
    examples: [['fleet complete-termination i-0123456789abcdef0', 'asks before it does so']],
  },
  {
    path: ['fleet', 'reset-scale-set'],
    summary: 'jobs mode: deletes a scale set that a lost session of the fleet holds; it is made again',
    details: ['Refuses while another owner has a session with it, or may have one, and while jobs run.'],
    options: [stack, type, { name: 'yes', summary: 'do not ask' }],
    examples: [['fleet reset-scale-set', 'asks before it does so']],
  },
  {
    path: ['fleet', 'doctor'],
    ...doctor,
    options: [stack, type, format, watch],
    examples: [['fleet doctor', 'what is wrong, and what to do']],
  },
  {
    path: ['fleet', 'why'],
    summary: 'the life of an instance or runner in sentences: what happened to it, why, and to its jobs',
    details: [
      'From the activities of the group, the logs of the functions, and what the instance sent (agent, runner, jobs; boot if it failed). A job that was lost is a warning with its name and the reason.',
      'As JSON: {"summary", "warnings": [text], "sentences": [{"at": time, "source", "what", "bad": true or false}]}; with --lines [{"at", "source", "what"}].',
    ],
    args: [{ name: 'instance|runner', summary: 'instance id, runner name or runner id' }],
    options: [
      stack,
      { ...type, defaultText: 'found by the instance' },
      format,
      { name: 'lines', summary: 'each line as it was logged instead' },
    ],
    examples: [
      ['fleet why i-0123456789abcdef0', 'why it is gone, or not ready'],
      [
        `fleet why i-0123456789abcdef0 --format json | jq '.sentences[] | select(.source == "agent")'`,
        'only what its agent reported',
      ],
    ],
  },
  {
    path: ['fleet', 'jobs'],
    summary: 'the jobs that the fleet has run, and those that run now or (jobs mode) wait, newest first',
    details: [
      "Each runner's agent writes an event for each job into the log group of the fleet (output instance_log_group): they reach back as far as log_retention_days.",
    ],
    options: [
      stack,
      { ...type, defaultText: 'all types', summary: 'only jobs of this type' },
      format,
      { ...since, default: '1d', summary: 'how far back: 90m, 6h, 7d, or a time' },
      { name: 'repo', value: 'owner/name', summary: 'only jobs of this repository' },
      {
        name: 'limit',
        value: 'number',
        kind: 'integer',
        range: [1, 1_000_000],
        defaultText: '50 as text, all as JSON',
        summary: 'only the newest',
      },
      json,
    ],
    examples: [
      ['fleet jobs --since 7d --repo example-org/shop', 'a week of one repository'],
      [`fleet jobs --json | jq 'map(select(.result == "Failed"))'`, 'only those that failed'],
    ],
  },
  {
    path: ['fleet', 'cost'],
    summary:
      "what the fleet's instances have cost, by type and repository, by the groups' activities and a price table",
    details: [
      'An estimate: instance hours times list prices. Network, functions, metrics and logs are not in it, and activities do not say which instances were spot. Instances of a further type that are gone are counted as the instance type that it prefers; where instance_requirements choose, as the one that most of its instances have now.',
      'A repository has the share of its jobs in the run time on each instance; the boot and the idle time of the instance go with it.',
    ],
    options: [
      stack,
      { ...type, defaultText: 'all types', summary: 'only this type' },
      format,
      { ...since, default: '7d', summary: 'from when: 6h, 7d, or a time; at most six weeks' },
      { name: 'prices', value: 'file', summary: 'your own price table (JSON), as for drover what-if' },
      {
        name: 'volume-gib',
        value: 'number',
        kind: 'integer',
        range: [1, 16_384],
        default: 30,
        summary: 'size of a root volume',
      },
      {
        name: 'instance-type',
        value: 'type',
        summary:
          'what instances that are gone were, if that is not known; without --type, those of the default type, and of types with instance_requirements that have none now',
      },
      json,
    ],
    examples: [
      ['fleet cost --since 30d', 'the last month'],
      ['fleet cost --since 2026-11-01 --prices prices.json --json', 'since a day, with your prices'],
    ],
  },
  {
    path: ['fleet', 'remove-type'],
    summary:
      'takes a type down: drains its instances and closes its scale set, before its key leaves the configuration',
    details: ['It waits for running jobs, and can be run again after an interruption.'],
    args: [{ name: 'type', summary: 'name of the type' }],
    options: [stack, { name: 'yes', summary: 'do it; without this, only print what would happen' }],
    examples: [['fleet remove-type large', 'what would happen']],
  },
  {
    path: ['fleet', 'destroy'],
    summary: 'takes a fleet down: drains its instances, removes its runners, deletes its stack',
    details: ['It waits for running jobs, and can be run again after an interruption.'],
    options: [stack, { name: 'yes', summary: 'do it; without this, only print what would happen' }],
    examples: [['fleet destroy', 'what would be deleted']],
  },
] as const satisfies readonly CommandSpec[];
