import { type OptionSpec, type OptionValues, valueOption } from '@drover/command-tree';
import { ports, superuser } from '@drover/core/names/search-cluster';

/** How data can be printed. */
export const formats = ['text', 'json', 'cbor', 'yaml', 'smile'] as const;
export type Format = (typeof formats)[number];

/** Options that stand before the command. */
export const globalOptions = [
  { name: 'debug', summary: 'say every request and its status on stderr', conflicts: ['quiet'] },
  { name: 'quiet', summary: 'only warnings and errors on stderr; data still comes' },
  { name: 'username', value: 'USER', default: superuser, summary: 'who logs in to Elasticsearch' },
  { name: 'password', value: 'PASSWORD', summary: 'password; better leave it out: others see it in the process list' },
  { name: 'password-secret', value: 'ID', summary: 'secret in AWS Secrets Manager that holds the password' },
  {
    ...valueOption('es-protocol', 'PROTOCOL', 'protocol of Elasticsearch'),
    choices: ['http', 'https'],
    default: 'http',
  },
  { ...valueOption('es-host', 'HOST', 'host of Elasticsearch'), default: '127.0.1.1', env: 'CLUSTER_CLI_ES_HOST' },
  {
    ...valueOption('es-port', 'PORT', 'port of Elasticsearch'),
    kind: 'port',
    default: ports.http,
    env: 'CLUSTER_CLI_ES_PORT',
  },
  { name: 'format', value: 'FORMAT', choices: formats, default: 'text', summary: 'how data is printed' },
  { ...valueOption('request-timeout', 'SECONDS', 'longest silence of Elasticsearch'), kind: 'seconds', default: 10 },
] as const satisfies readonly OptionSpec[];

/** The values of the global options of one command line. */
export type GlobalValues = OptionValues<typeof globalOptions>;
