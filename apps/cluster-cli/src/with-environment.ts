import type { Io } from './io.ts';

/** Environment variables stand for options that were not typed: a typed one comes later and wins. */
export function withEnvironment(argv: readonly string[], env: Io['env']): readonly string[] {
  const { CLUSTER_CLI_ES_HOST: host, CLUSTER_CLI_ES_PORT: port } = env;
  return [
    ...(host === undefined || host === '' ? [] : [`--es-host=${host}`]),
    ...(port === undefined || port === '' ? [] : [`--es-port=${port}`]),
    ...argv,
  ];
}
