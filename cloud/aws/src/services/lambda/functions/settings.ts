import { violations } from '../../../account/limits.ts';
import type { ResourceProperties } from '../../../account/service.ts';
import { invalidValue } from '../errors.ts';
import type { FunctionCode, FunctionSettings } from '../model.ts';

/** (Developer Guide, "Lambda quotas".) */
const limits = { timeout: [1, 900], memory: [128, 10_240], storage: [512, 10_240] } as const;
const environmentLimitBytes = 4_096;

/** (Developer Guide, "Defined runtime environment variables": reserved keys.) */
const reservedKeys =
  /^(_HANDLER|_X_AMZN_TRACE_ID|AWS_(DEFAULT_REGION|REGION|EXECUTION_ENV|LAMBDA_.*|ACCESS_KEY(_ID)?|SECRET_ACCESS_KEY|SESSION_TOKEN)|LAMBDA_(TASK_ROOT|RUNTIME_DIR))$/;

/** Settings as they are given; the rest follows from the account. */
export type GivenSettings = Omit<FunctionSettings, 'vpcId'>;

/** Settings from a request or a template (both use the same names); what is not given stays as it was. */
export function settingsFrom(given: ResourceProperties, code: FunctionCode, before?: FunctionSettings): GivenSettings {
  const settings: GivenSettings = {
    code,
    role: given.Role ?? before?.role ?? '',
    handler: given.Handler ?? before?.handler ?? '',
    runtime: given.Runtime ?? before?.runtime ?? '',
    description: given.Description ?? before?.description ?? '',
    timeoutSeconds: Number(given.Timeout ?? before?.timeoutSeconds ?? 3),
    memoryMb: Number(given.MemorySize ?? before?.memoryMb ?? 128),
    environment: given.Environment === undefined ? (before?.environment ?? {}) : strings(given.Environment.Variables),
    subnetIds: given.VpcConfig?.SubnetIds ?? before?.subnetIds ?? [],
    securityGroupIds: given.VpcConfig?.SecurityGroupIds ?? before?.securityGroupIds ?? [],
    architectures: given.Architectures ?? before?.architectures ?? ['x86_64'],
    tracingMode: given.TracingConfig?.Mode ?? before?.tracingMode ?? 'PassThrough',
    kmsKeyArn: given.KMSKeyArn ?? given.KmsKeyArn ?? before?.kmsKeyArn,
    ephemeralStorageMb: Number(given.EphemeralStorage?.Size ?? before?.ephemeralStorageMb ?? 512),
    logging: loggingFrom(given.LoggingConfig, before?.logging),
  };
  validate(settings);
  return settings;
}

const strings = (variables: Readonly<Record<string, unknown>> | undefined) =>
  Object.fromEntries(Object.entries(variables ?? {}).map(([key, value]) => [key, String(value)]));

function loggingFrom(given: ResourceProperties | undefined, before: FunctionSettings['logging'] | undefined) {
  return {
    group: given?.LogGroup ?? before?.group,
    format: given?.LogFormat ?? before?.format ?? 'Text',
    applicationLevel: given?.ApplicationLogLevel ?? before?.applicationLevel ?? 'INFO',
    systemLevel: given?.SystemLogLevel ?? before?.systemLevel ?? 'INFO',
  };
}

function validate(settings: GivenSettings): void {
  if (!/^arn:[^:]+:iam::\d{12}:role\/.+$/.test(settings.role))
    throw invalidValue(`Role ${settings.role} is not the ARN of a role: arn:aws:iam::<account>:role/<name>`);
  const [unknownRuntime] = violations('lambda', 'CreateFunction', { Runtime: settings.runtime });
  if (unknownRuntime !== undefined)
    throw invalidValue(
      `Value ${settings.runtime} at 'runtime' failed to satisfy constraint: ${unknownRuntime.constraint} or be a valid ARN`,
    );
  within('timeout', settings.timeoutSeconds, limits.timeout);
  within('memorySize', settings.memoryMb, limits.memory);
  within('ephemeralStorage.size', settings.ephemeralStorageMb, limits.storage);
  if (settings.subnetIds.length > 0 && settings.securityGroupIds.length === 0)
    throw invalidValue('Error: SecurityGroupIds must not be empty when SubnetIds are given.');
  validateEnvironment(settings.environment);
}

function within(name: string, value: number, [least, most]: readonly [number, number]): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const constraint = value > most ? `less than or equal to ${most}` : `greater than or equal to ${least}`;
  throw invalidValue(
    `1 validation error detected: Value '${value}' at '${name}' failed to satisfy constraint: Member must have value ${constraint}`,
  );
}

function validateEnvironment(environment: Readonly<Record<string, string>>): void {
  const because =
    'Lambda was unable to configure your environment variables because the environment variables you have provided';
  const reserved = Object.keys(environment).filter((key) => reservedKeys.test(key));
  if (reserved.length > 0)
    throw invalidValue(
      `${because} contains reserved keys that are currently not supported for modification. Reserved keys used in this request: ${reserved.join(', ')}`,
    );
  if (Buffer.byteLength(JSON.stringify(environment)) > environmentLimitBytes)
    throw invalidValue(`${because} exceeded the 4KB limit.`);
}
