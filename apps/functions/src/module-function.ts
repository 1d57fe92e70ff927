import { type JsonApi, jsonApi } from '@drover/adapters/aws/json-api';
import { nodeFetch } from '@drover/adapters/platform/node-fetch';
import { type Clock, jsonLogger, type Logger, type Random, RealClock, SystemRandom, TerminalError } from '@drover/core';
import { environmentCredentials } from './environment-credentials.ts';

/** What a small function of a module needs of the world around it. */
export interface ModuleSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly fetch: typeof fetch;
  readonly aws: JsonApi;
}

/** The surroundings of a real Lambda execution environment. */
export function moduleSurroundings(): ModuleSurroundings {
  const clock = new RealClock();
  const { env } = process;
  return {
    env,
    clock,
    random: new SystemRandom(),
    log: jsonLogger({ clock, write: (line) => console.log(line) }),
    fetch: nodeFetch,
    aws: jsonApi({
      region: required(env, 'AWS_REGION'),
      clock,
      fetch: nodeFetch,
      credentials: environmentCredentials,
      endpoint: env.AWS_ENDPOINT_URL,
    }),
  };
}

/** A variable that the construct sets. */
export function required(env: ModuleSurroundings['env'], key: string): string {
  const value = env[key];
  if (value === undefined || value === '')
    throw new TerminalError(`environment variable ${key} is missing`, {
      remedy: 'deploy the stack again: the construct sets it',
    });
  return value;
}
