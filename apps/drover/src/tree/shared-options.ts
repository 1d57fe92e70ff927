import type { OptionSpec } from '@drover/command-tree';

export const format = {
  name: 'format',
  value: 'format',
  choices: ['text', 'json'],
  default: 'text',
  summary: 'how to print',
} as const satisfies OptionSpec;

export const watch = {
  name: 'watch',
  value: 'seconds',
  kind: 'integer',
  range: [1, 3_600],
  preset: 5,
  summary: 'refresh every N seconds until Ctrl-C; every 5 without a number',
} as const satisfies OptionSpec;

export const clusterUrl = {
  name: 'url',
  value: 'address',
  env: 'DROVER_CLUSTER_URL',
  summary: 'address of Elasticsearch, if it is not the cluster_url of the stack',
} as const satisfies OptionSpec;

export const seed = {
  name: 'seed',
  value: 'text',
  default: 'drover',
  summary: 'seed of the random numbers: the same seed gives the same run',
} as const satisfies OptionSpec;

/** Of both doctors. */
export const doctor = {
  summary: 'one check for every error condition, problems first, each with evidence and the fix',
  details: ['Exit code 1 if there is a problem, 3 if there is none but a check could not be made.'],
} as const;
