import type { CommandSpec } from '@drover/command-tree';
import { scalingModes } from '@drover/core/names/runner-fleet';
import { format, seed } from './shared-options.ts';

const port = { value: 'port', kind: 'port', range: [1, 65_533] } as const;

/** A file to begin with, instead of running. */
const printExample = {
  name: 'print-example',
  value: 'kind',
  choices: ['fleet', 'cluster'],
  summary: 'print a fleet.yaml or a cluster.yaml to begin with, and exit',
} as const;

/** Runs in @drover/local, which is installed beside the command. */
export const localCommand = {
  path: ['local'],
  summary: 'the whole system on this machine: a fleet, a search cluster, a console to watch and break them',
  args: [],
  options: [
    {
      name: 'speed',
      value: 'factor',
      kind: 'integer',
      range: [1, 3_600],
      default: 60,
      summary: 'simulated seconds per second',
    },
    seed,
    {
      name: 'jobs-per-hour',
      value: 'number',
      kind: 'integer',
      range: [0, 10_000],
      default: 30,
      summary: 'jobs that are queued automatically',
    },
    {
      name: 'port-base',
      ...port,
      default: 8600,
      summary: 'port of the console; AWS and the platform use the next two',
    },
    { name: 'console-port', ...port, summary: 'the console' },
    { name: 'aws-port', ...port, summary: 'the AWS endpoint' },
    { name: 'platform-port', ...port, summary: "the platform's API" },
    { name: 'search-port', ...port, default: 9200, summary: 'Elasticsearch' },
    {
      name: 'mode',
      value: 'mode',
      choices: scalingModes,
      defaultText: 'idle',
      summary: 'on what the fleet scales: idle runners, or jobs, each on a fresh instance',
    },
    { name: 'spot', summary: 'spot instances above one on demand, and no warm pool' },
    {
      name: 'types',
      conflicts: ['mode', 'spot'],
      summary: 'a fleet in jobs mode with the types large and arm beside the default one',
    },
    {
      name: 'fleet',
      value: 'file',
      conflicts: ['spot', 'mode', 'types'],
      summary: "deploy this fleet.yaml instead of the example's fleet",
    },
    { name: 'cluster', value: 'file', summary: "deploy this cluster.yaml instead of the example's cluster" },
    {
      name: 'assembly',
      value: 'folder',
      conflicts: ['spot', 'mode', 'types', 'fleet', 'cluster'],
      summary: 'deploy what cdk synth wrote, e.g. cdk.out, instead of the example',
    },
    { name: 'state', value: 'folder', default: '.drover', summary: 'where the session is kept' },
    { name: 'reset', summary: 'delete the last session and start a new one' },
    printExample,
    { name: 'once', summary: 'run a fixed scenario as fast as possible, check every invariant, exit 0 or 1' },
  ],
  examples: [
    ['local', 'then open the address that it prints'],
    ['local --print-example fleet > fleet.yaml', 'a file to change'],
    ['local --fleet fleet.yaml --speed 600', 'your own fleet, ten minutes a second'],
  ],
} as const satisfies CommandSpec;

/** Runs in @drover/local: it needs CDK. */
export const synthCommand = {
  path: ['synth'],
  summary: 'writes the CloudFormation template of a configuration file, with its assets',
  args: [
    {
      name: 'file',
      optional: true,
      summary: 'YAML or JSON with the inputs of a runner fleet, a search cluster or its web UI',
    },
  ],
  options: [
    {
      name: 'out',
      value: 'folder',
      default: 'cloudformation',
      summary: 'where the template and the folder assets/ are written',
    },
    {
      name: 'stack-name',
      value: 'name',
      defaultText: 'runner-fleet, search-cluster or search-ui',
      summary: 'name of the template',
    },
    printExample,
  ],
  examples: [['synth fleet.yaml --out build', 'a template to deploy without CDK']],
} as const satisfies CommandSpec;

/** Runs in @drover/local: it replays in the embedded cloud. */
export const whatIfCommand = {
  path: ['what-if'],
  summary: 'replays a job trace against fleet configurations: waits, hours and cost before you deploy',
  args: [
    { name: 'configurations', optional: true, list: true, summary: 'YAML files with the inputs of a runner fleet' },
  ],
  options: [
    {
      name: 'jobs',
      value: 'trace',
      summary: "CSV of queued_at,duration_seconds,labels, or jobs as GitHub's REST API lists them (JSON)",
    },
    {
      name: 'from-label',
      value: 'label',
      summary: 'only the jobs that ask for this label, for the runners of the fleet',
    },
    {
      name: 'type',
      value: 'name',
      summary:
        'of configurations with types: the type whose runners are tried; default is the type of the inputs at the top',
    },
    {
      name: 'hours',
      value: 'number',
      kind: 'integer',
      range: [1, 744],
      summary: 'only the first hours of the trace',
    },
    { name: 'one-at-a-time', summary: 'also each configuration with a policy that adds one instance an alarm' },
    {
      name: 'modes',
      summary: 'also each configuration in idle mode, in jobs mode, and in jobs mode with a warm pool',
    },
    {
      name: 'fixed',
      value: 'number',
      kind: 'integer',
      range: [1, 10_000],
      summary: 'also a fixed fleet of N runners, otherwise as the first configuration',
    },
    {
      name: 'sweep',
      value: 'input=values',
      list: 'repeated',
      summary: 'every value of an input, e.g. asg_max_size=8,16; may be given more than once',
    },
    {
      name: 'max-wait',
      value: 'seconds',
      kind: 'seconds',
      range: [1, 86_400],
      summary: 'says which is the cheapest with a p95 wait of at most this',
    },
    { name: 'prices', value: 'file', summary: 'your own price table (JSON)' },
    {
      name: 'spot-reclaims-per-day',
      value: 'number',
      kind: 'number',
      range: [0, 1_440],
      default: 0.05,
      summary: 'how often a running spot instance is interrupted',
    },
    { name: 'svg', value: 'file', summary: 'writes a picture of the comparison' },
    format,
    seed,
    { name: 'generate', value: 'kind', choices: ['week', 'burst'], summary: 'writes a trace instead' },
    { name: 'out', value: 'file', summary: 'where the generated trace is written' },
    { ...printExample, choices: ['fleet'], summary: 'print a fleet.yaml to begin with, and exit' },
  ],
  examples: [
    ['what-if --generate week --out week.csv', 'a trace to try it with'],
    ['what-if fleet.yaml --jobs week.csv --max-wait 120', 'what it would have cost, and who would have waited'],
    ['what-if fleet.yaml --jobs week.csv --sweep asg_max_size=8,16,32', 'the same with three sizes'],
  ],
} as const satisfies CommandSpec;
