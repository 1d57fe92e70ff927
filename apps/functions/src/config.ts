import { TerminalError } from '@drover/core';
import { environment as keys } from '@drover/core/names/runner-fleet';

/** What the construct tells a function, read once. */
export interface FunctionConfig {
  readonly groupName: string;
  readonly region: string;
  readonly platformApi: string;
  readonly platformOrg: string;
  readonly authentication: PlatformAuthentication;
  readonly allowedDrainTimeMs: number;
  readonly vendor: string;
  readonly runnerReleasedAt: number | undefined;
  readonly instanceArnPrefix: string;
  readonly memory: { readonly bucket: string; readonly key: string };
  /** Name of the runner group that the fleet's runners join. */
  readonly runnerGroup: string | undefined;
}

export type PlatformAuthentication =
  | { readonly kind: 'token'; readonly secretArn: string }
  | { readonly kind: 'app'; readonly appId: string; readonly pemSecretArn: string };

type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(environment: Environment): FunctionConfig {
  const required = (key: string): string => {
    const value = environment[key];
    if (value === undefined || value === '')
      throw new TerminalError(`environment variable ${key} is missing`, {
        remedy: 'deploy the stack again: the construct sets it',
      });
    return value;
  };
  return {
    groupName: required(keys.groupName),
    region: required('AWS_REGION'),
    platformApi: required(keys.platformApi),
    platformOrg: required(keys.platformOrg),
    authentication: authentication(environment, required),
    allowedDrainTimeMs: wholeNumber(keys.allowedDrainTime, required(keys.allowedDrainTime)) * 1000,
    vendor: required(keys.vendor),
    runnerReleasedAt: environment[keys.runnerReleased] ? Date.parse(environment[keys.runnerReleased]!) : undefined,
    instanceArnPrefix: required(keys.instanceArnPrefix),
    memory: { bucket: required(keys.memoryBucket), key: required(keys.memoryKey) },
    runnerGroup: environment[keys.runnerGroup] || undefined,
  };
}

function authentication(environment: Environment, required: (key: string) => string): PlatformAuthentication {
  if (environment[keys.platformAppId])
    return { kind: 'app', appId: environment[keys.platformAppId]!, pemSecretArn: required(keys.platformAppPemSecret) };
  return { kind: 'token', secretArn: required(keys.platformTokenSecret) };
}

function wholeNumber(key: string, value: string): number {
  if (!/^\d+$/.test(value))
    throw new TerminalError(`environment variable ${key} is ${JSON.stringify(value)}, not a whole number`);
  return Number(value);
}
