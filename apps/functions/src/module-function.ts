import type { AwsCalls } from '@drover/adapters/aws';
import { type Clock, type Logger, type Random, TerminalError } from '@drover/core';

/** The environment of a function that comes with a module, with the AWS services that it calls. */
export interface ModuleRuntime<Service extends keyof AwsCalls> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly fetch: typeof fetch;
  readonly aws: Pick<AwsCalls, Service>;
}

/** A variable that the construct sets. */
export function required(env: Readonly<Record<string, string | undefined>>, key: string): string {
  const value = env[key];
  if (value === undefined || value === '')
    throw new TerminalError(`environment variable ${key} is missing`, {
      remedy: 'deploy the stack again: the construct sets it',
    });
  return value;
}
