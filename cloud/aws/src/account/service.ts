import type { KillableProcess } from '@drover/cloud-engine';
import type { Random } from '@drover/core';

/** The caller of an operation. */
export interface Principal {
  /** `arn:aws:iam::…:root`, `arn:aws:iam::…:user/x` or `arn:aws:sts::…:assumed-role/<role>/<session>`. */
  readonly arn: string;
  readonly accountId: string;
  /** `AIDA…`, or `AROA…:<session name>` for an assumed role: the value of `aws:userid`. */
  readonly userId: string;
  /** The role's ARN when a role is assumed. */
  readonly roleArn?: string;
  /** Root of the account: everything is allowed. */
  readonly root?: boolean;
  /** Set for credentials of an instance profile: the value of `ec2:SourceInstanceARN`. */
  readonly sourceInstanceArn?: string;
}

/** An access key; temporary when it has a session token. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiresAt?: number;
}

/** The caller, and the process that dies when a `kill` fault strikes. */
export interface Caller {
  readonly credentials: Pick<Credentials, 'accessKeyId' | 'sessionToken'>;
  readonly process?: KillableProcess;
  /** @default the chance of the world */
  readonly ids?: Random;
  /** `X-Amzn-Trace-Id` of the request. */
  readonly traceId?: string;
}

/** One API call on its way through the embedded cloud. */
export interface Call {
  readonly service: ServiceId;
  readonly operation: string;
  readonly requestId: string;
  readonly principal: Principal;
  /** `X-Amzn-Trace-Id` of the request: a function's calls carry the chain of invocations behind them. */
  readonly traceId?: string;
}

/** One question to IAM. Context keys are written as in policies, e.g. `aws:ResourceTag/cluster`. */
export interface Permission {
  readonly action: string;
  /** An ARN, or `*` for actions without resource-level permissions. */
  readonly resource: string;
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

/** A modelled operation: what IAM must allow, then what it does. Inputs and outputs have the SDK's member names. */
// biome-ignore lint/suspicious/noExplicitAny: each operation narrows its own input and output
export interface Operation<Input = any, Output = any> {
  /** Every question is asked; one "no" refuses the call before anything happens. */
  permissions(input: Input, call: Call): readonly Permission[];
  run(input: Input, call: Call): Output | Promise<Output>;
}

export type Operations = Readonly<Record<string, Operation>>;

/** The signing names of the services with modelled operations, by which requests are routed. */
export const serviceIds = [
  'autoscaling',
  'cloudformation',
  'ec2',
  'ecs',
  'elasticloadbalancing',
  'events',
  'iam',
  'lambda',
  'logs',
  'monitoring',
  'route53',
  's3',
  'secretsmanager',
  'ssm',
  'sts',
] as const;
export type ServiceId = (typeof serviceIds)[number];

/** How CloudFormation makes, changes and removes one type of resource. */
export interface ResourceProvider {
  create(request: ResourceRequest): ResourceState | Promise<ResourceState>;
  /** Absent: any change replaces the resource. Only called for changes that the type's schema allows in place. */
  update?(request: ResourceUpdate): ResourceState | Promise<ResourceState>;
  delete(request: ResourceUpdate | (ResourceRequest & ResourceState)): void | Promise<void>;
}

export interface ResourceRequest {
  readonly type: string;
  readonly logicalId: string;
  readonly stackName: string;
  readonly stackId: string;
  /** Resolved: no intrinsic function is left. */
  readonly properties: ResourceProperties;
  /** The template's UpdatePolicy of the resource, resolved. */
  readonly updatePolicy?: ResourceProperties;
  /** Aborted when the stack operation gives the resource up: a provider that waits should stop waiting. */
  readonly signal?: AbortSignal;
  /** A name as CloudFormation would generate it: `<stack>-<logical id>-<random>`. */
  generateName(maxLength?: number): string;
}

export interface ResourceUpdate extends ResourceRequest {
  readonly physicalId: string;
  readonly previousProperties: ResourceProperties;
}

// biome-ignore lint/suspicious/noExplicitAny: resource properties are checked against the service specification
export type ResourceProperties = Readonly<Record<string, any>>;

export interface ResourceState {
  /** The result of `Ref`. */
  readonly physicalId: string;
  /** The physical id stands for another one, and `Ref` is refused. */
  readonly refIsUnknown?: boolean;
  /** The results of `Fn::GetAtt`. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export type ResourceProviders = Readonly<Record<string, ResourceProvider>>;

/** A service that templates use. */
export interface ResourceService {
  readonly resources: ResourceProviders;
}

/** A service that templates use and whose API can be called. */
export interface AwsService extends ResourceService {
  readonly operations: Operations;
}
