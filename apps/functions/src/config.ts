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

/** Reads the environment once; whatever is wrong with it ends the function before its first invocation. */
export function readConfig(environment: Environment): FunctionConfig {
  const { required, optional } = reader(environment);
  return {
    groupName: required(keys.groupName),
    region: required('AWS_REGION'),
    platformApi: required(keys.platformApi, address),
    platformOrg: required(keys.platformOrg),
    authentication: authentication(environment),
    allowedDrainTimeMs: required(keys.allowedDrainTime, wholeNumber) * 1000,
    vendor: required(keys.vendor),
    runnerReleasedAt: optional(keys.runnerReleased, day),
    instanceArnPrefix: required(keys.instanceArnPrefix, instanceArnPrefix),
    memory: { bucket: required(keys.memoryBucket), key: required(keys.memoryKey) },
    runnerGroup: optional(keys.runnerGroup, text),
  };
}

function authentication(environment: Environment): PlatformAuthentication {
  const { required, optional } = reader(environment);
  const appId = optional(keys.platformAppId, text);
  if (appId === undefined) return { kind: 'token', secretArn: required(keys.platformTokenSecret) };
  return { kind: 'app', appId, pemSecretArn: required(keys.platformAppPemSecret) };
}

/** A value as the program wants it, or undefined when it is not of this kind. */
interface Kind<T> {
  readonly expected: string;
  parse(value: string): T | undefined;
}

const text: Kind<string> = { expected: 'a text', parse: (value) => value };
const wholeNumber: Kind<number> = {
  expected: 'a whole number',
  parse: (value) => (/^\d{1,9}$/.test(value) ? Number(value) : undefined),
};
const address: Kind<string> = {
  expected: 'an http(s) address',
  parse: (value) => (/^https?:\/\//.test(value) && URL.canParse(value) ? value : undefined),
};
const day: Kind<number> = {
  expected: 'a day as YYYY-MM-DD',
  parse: (value) =>
    /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? Date.parse(value) : undefined,
};
const instanceArnPrefix: Kind<string> = {
  expected: 'arn:<partition>:ec2:<region>:<account>:instance/',
  parse: (value) => (/^arn:[\w-]+:ec2:[\w-]+:\d{12}:instance\/$/.test(value) ? value : undefined),
};

const remedy = 'deploy the stack again: the construct sets it';

function reader(environment: Environment) {
  const optional = <T>(key: string, kind: Kind<T>): T | undefined => {
    const value = environment[key];
    if (value === undefined || value === '') return undefined;
    const parsed = kind.parse(value);
    if (parsed !== undefined) return parsed;
    throw new TerminalError(`environment variable ${key} is ${JSON.stringify(value)}, not ${kind.expected}`, {
      remedy,
    });
  };
  function required(key: string): string;
  function required<T>(key: string, kind: Kind<T>): T;
  function required(key: string, kind: Kind<unknown> = text): unknown {
    const value = optional(key, kind);
    if (value === undefined) throw new TerminalError(`environment variable ${key} is missing`, { remedy });
    return value;
  }
  return { required, optional };
}
