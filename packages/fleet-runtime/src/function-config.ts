import { TerminalError } from '@drover/core';
import { levelNames, type PlatformLevel } from '@drover/core/names/platform-level';
import {
  defaults,
  fallbackGroupName,
  environment as keys,
  type ScalingMode,
  scalingModes,
} from '@drover/core/names/runner-fleet';

/** Configuration that the construct sets for a function, read once. */
export interface FunctionConfig {
  readonly groupName: string;
  /** Name of the fleet: that of the default type's group. */
  readonly fleet: string;
  /** The fleet has groups of further types. */
  readonly hasTypes: boolean;
  /** Groups with spot instances may have a group that launches on demand beside them. */
  readonly hasFallback: boolean;
  readonly region: string;
  readonly platformApi: string;
  /** The organisation, repository or enterprise of the runners. */
  readonly level: PlatformLevel;
  readonly authentication: PlatformAuthentication;
  readonly allowedDrainTimeMs: number;
  /** A boot without news for this long is ended. */
  readonly bootTimeoutMs: number;
  readonly scalingMode: ScalingMode;
  readonly vendor: string;
  readonly instanceArnPrefix: string;
  readonly memory: { readonly bucket: string; readonly key: string };
  /** Name of the runner group that the fleet's runners join. */
  readonly runnerGroup: string | undefined;
}

export type PlatformAuthentication =
  | { readonly kind: 'token'; readonly secretArn: string }
  | { readonly kind: 'app'; readonly appId: string; readonly pemSecretArn: string };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Name of the group that launches on demand beside the given one, if it may have one. */
export const fallbackOf = ({ hasFallback, groupName }: Pick<FunctionConfig, 'hasFallback' | 'groupName'>) =>
  hasFallback ? fallbackGroupName(groupName) : undefined;

/** Reads the environment once; whatever is wrong with it ends the function before its first invocation. */
export function readConfig(environment: Environment): FunctionConfig {
  const { required, optional } = reader(environment);
  return {
    groupName: required(keys.groupName, groupName),
    fleet: required(keys.groupName, groupName),
    hasTypes: optional(keys.types, flag) === 'true',
    hasFallback: optional(keys.onDemandFallback, flag) === 'true',
    region: required('AWS_REGION', region),
    platformApi: required(keys.platformApi, address),
    level: level(environment),
    authentication: authentication(environment),
    allowedDrainTimeMs: required(keys.allowedDrainTime, seconds) * 1000,
    bootTimeoutMs: (optional(keys.bootTimeout, seconds) ?? defaults.bootTimeoutSeconds) * 1000,
    scalingMode: optional(keys.scalingMode, scalingMode) ?? 'idle',
    vendor: required(keys.vendor, vendor),
    instanceArnPrefix: required(keys.instanceArnPrefix, instanceArnPrefix),
    memory: { bucket: required(keys.memoryBucket, bucket), key: required(keys.memoryKey, objectKey) },
    runnerGroup: optional(keys.runnerGroup, runnerGroup),
  };
}

function level(environment: Environment): PlatformLevel {
  const { optional } = reader(environment);
  const given = levels.flatMap(([kind, key]) => {
    const { pattern, expected } = levelNames[kind];
    const name = optional(key, matching(pattern, expected));
    return name === undefined ? [] : [{ kind, name }];
  });
  const [only, ...others] = given;
  if (only !== undefined && others.length === 0) return only;
  throw new TerminalError(
    `${given.length === 0 ? 'none' : given.length} of the environment variables ${levels.map(([, key]) => key).join(', ')} is set, not exactly one`,
    { remedy },
  );
}

const levels = [
  ['org', keys.platformOrg],
  ['repo', keys.platformRepository],
  ['enterprise', keys.platformEnterprise],
] as const;

function authentication(environment: Environment): PlatformAuthentication {
  const { required, optional } = reader(environment);
  const appId = optional(keys.platformAppId, digits);
  const token = optional(keys.platformTokenSecret, secretArn);
  if (appId === undefined) return { kind: 'token', secretArn: token ?? required(keys.platformTokenSecret, secretArn) };
  if (token === undefined) return { kind: 'app', appId, pemSecretArn: required(keys.platformAppPemSecret, secretArn) };
  throw new TerminalError(
    `environment variables ${keys.platformTokenSecret} and ${keys.platformAppId} are both set, and only one of them can be used`,
    { remedy: 'set platform_token_secret_arn or platform_app_id, not both, and deploy the stack again' },
  );
}

/** A value as the program wants it, or undefined when it is not of this kind. */
export interface Kind<T> {
  readonly expected: string;
  parse(value: string): T | undefined;
}

export const matching = (pattern: RegExp, expected: string): Kind<string> => ({
  expected,
  parse: (value) => (pattern.test(value) ? value : undefined),
});

const groupName = matching(/^[\w.-]{1,49}$/, 'a group name of at most 49 letters, digits, ., _ and -');
const region = matching(/^[a-z]{2}(-[a-z]+)+-\d+$/, 'a region such as eu-west-1');
export const flag = matching(/^(true|false)$/, 'true or false');
const digits = matching(/^\d+$/, 'the number of an app');
const vendor = matching(/^[A-Za-z0-9_-]+$/, 'letters, digits, - and _');
const bucket = matching(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket');
const objectKey = matching(/^[\w.-][\w./-]*$/, 'the key of an object');
const runnerGroup = matching(/^\S(.*\S)?$/, 'the name of a runner group');
const secretArn = matching(
  /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:\S+$/,
  'arn:<partition>:secretsmanager:<region>:<account>:secret:<name>',
);
const instanceArnPrefix = matching(
  /^arn:[\w-]+:ec2:[\w-]+:\d{12}:instance\/$/,
  'arn:<partition>:ec2:<region>:<account>:instance/',
);

export const address: Kind<string> = {
  expected: 'an http(s) address without a slash at the end',
  parse: (value) => (/^https?:\/\/\S*[^/\s]$/.test(value) && URL.canParse(value) ? value : undefined),
};

/** A hook is over after 48 hours, whatever is done (Auto Scaling User Guide, "Lifecycle hooks"). */
const longestSeconds = 172_800;
const seconds: Kind<number> = {
  expected: `a whole number of seconds up to ${longestSeconds}`,
  parse: (value) => (/^\d{1,6}$/.test(value) && Number(value) <= longestSeconds ? Number(value) : undefined),
};

const scalingMode: Kind<ScalingMode> = {
  expected: scalingModes.join(' or '),
  parse: (value) => scalingModes.find((mode) => mode === value),
};

/** Read by `<asg>_image` alone. */
export const bakeDays: Kind<number> = {
  expected: 'a number of days',
  parse: (value) => (/^[1-9]\d{0,2}$/.test(value) ? Number(value) : undefined),
};

/** Read by `<asg>_record_metric` alone. */
export const day: Kind<number> = {
  expected: 'a day as YYYY-MM-DD',
  parse(value) {
    const at = /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN;
    // February 30th is taken for March 2nd.
    return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== value ? undefined : at;
  },
};

const remedy = 'deploy the stack again: the construct sets it';

/** Reads variables of an environment; one that is missing or wrong is an error that names it. */
export function reader(environment: Environment) {
  const optional = <T>(key: string, kind: Kind<T>): T | undefined => {
    const value = environment[key];
    if (value === undefined || value === '') return undefined;
    const parsed = kind.parse(value);
    if (parsed !== undefined) return parsed;
    throw new TerminalError(`environment variable ${key} is ${JSON.stringify(value)}, not ${kind.expected}`, {
      remedy,
    });
  };
  const required = <T>(key: string, kind: Kind<T>): T => {
    const value = optional(key, kind);
    if (value === undefined) throw new TerminalError(`environment variable ${key} is missing`, { remedy });
    return value;
  };
  return { required, optional };
}
