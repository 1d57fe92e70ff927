import type { Principal } from './neighbours.ts';

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

/** The signing names of the modelled services, by which requests are routed. */
export const serviceIds = [
  'acm',
  'autoscaling',
  'cloudformation',
  'ec2',
  'ecs',
  'elasticloadbalancing',
  'events',
  'iam',
  'kms',
  'lambda',
  'logs',
  'monitoring',
  'route53',
  's3',
  'secretsmanager',
  'sns',
  'sqs',
  'ssm',
  'sts',
] as const;
export type ServiceId = (typeof serviceIds)[number];

/** How CloudFormation makes, changes and removes one type of resource. */
export interface ResourceProvider {
  /** The resource only gets an id and attributes of the right shape: COVERAGE.md lists it as accepted without behaviour. */
  readonly shapeOnly?: true;
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
  /** What `Ref` gives. */
  readonly physicalId: string;
  /** What `Fn::GetAtt` gives. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export type ResourceProviders = Readonly<Record<string, ResourceProvider>>;
