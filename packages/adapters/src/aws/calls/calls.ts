import type * as AutoScalingSdk from './sdk/auto-scaling.ts';
import type * as CloudWatchSdk from './sdk/cloudwatch.ts';
import type * as Ec2Sdk from './sdk/ec2.ts';
import type * as SecretsManagerSdk from './sdk/secrets-manager.ts';
import type * as SsmSdk from './sdk/ssm.ts';

/** One AWS service: an operation by the name that AWS and IAM give it. A failure is an Error whose name is AWS's error code. */
export type ServiceCalls<Operations> = <Name extends keyof Operations & string>(
  operation: Name,
  input: InputOf<Operations[Name]>,
) => Promise<OutputOf<Operations[Name]>>;

/** Input and output of one operation. */
export interface Operation<Input, Output> {
  readonly input: Input;
  readonly output: Output;
}

type InputOf<O> = O extends { readonly input: infer Input } ? Input : never;
type OutputOf<O> = O extends { readonly output: infer Output } ? Output : never;

/** The operations behind a table of the SDK's command classes. */
export type OperationsOf<Commands> = {
  readonly [Name in keyof Commands]: Commands[Name] extends abstract new (
    ...input: infer Input extends unknown[]
  ) => SdkCommand<infer Output>
    ? Operation<Exclude<Input[number], undefined>, Omit<Output, '$metadata'>>
    : never;
};

interface SdkCommand<Output> {
  resolveMiddleware(...args: never[]): (...args: never[]) => Promise<{ readonly output: Output }>;
}

export type AutoScalingOperations = OperationsOf<typeof AutoScalingSdk.commands>;
export type CloudWatchOperations = OperationsOf<typeof CloudWatchSdk.commands>;
export type Ec2Operations = OperationsOf<typeof Ec2Sdk.commands>;
export type SecretsManagerOperations = OperationsOf<typeof SecretsManagerSdk.commands>;
export type SsmOperations = OperationsOf<typeof SsmSdk.commands>;

/** The bytes of a large object: opened again for each attempt, and never all in memory. */
export interface ObjectBytes {
  /** S3 refuses bytes that do not have it. */
  readonly sha256: string;
  readonly length: number;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** The S3 operations that are used, mostly for objects that are text. */
export interface S3Operations {
  readonly GetObject: Operation<
    { readonly Bucket: string; readonly Key: string },
    {
      readonly Body: string;
      readonly ETag?: string | undefined;
      readonly LastModified?: Date | undefined;
    }
  >;
  readonly PutObject: Operation<
    {
      readonly Bucket: string;
      readonly Key: string;
      readonly Body: string | ObjectBytes;
      readonly ContentType?: string;
      /** Written only over this version. */
      readonly IfMatch?: string;
      /** `*`: written only if there is no such object ("Conditional writes" in the S3 User Guide). */
      readonly IfNoneMatch?: '*';
    },
    { readonly ETag?: string | undefined }
  >;
  /** Copies within S3, whatever the size below 5 GB; `CopySource` is `<bucket>/<key>`. */
  readonly CopyObject: Operation<
    { readonly Bucket: string; readonly Key: string; readonly CopySource: string },
    object
  >;
  /** Succeeds for an object that is not there. */
  readonly DeleteObject: Operation<{ readonly Bucket: string; readonly Key: string }, object>;
}

/** The one CloudFormation operation that is used. */
export interface CloudFormationOperations {
  readonly DescribeStacks: Operation<
    { readonly StackName: string },
    { readonly Stacks?: readonly { readonly StackStatus?: string }[] }
  >;
}

interface StreamInput {
  readonly logGroupName: string;
  readonly logStreamName: string;
}

/** The two operations of CloudWatch Logs that are used. */
export interface LogsOperations {
  readonly CreateLogStream: Operation<StreamInput, unknown>;
  readonly PutLogEvents: Operation<
    StreamInput & { readonly logEvents: readonly { readonly timestamp: number; readonly message: string }[] },
    unknown
  >;
}

interface ServiceInput {
  readonly cluster: string;
}

/** The two ECS operations that are used. */
export interface EcsOperations {
  readonly DescribeServices: Operation<
    ServiceInput & { readonly services: readonly string[] },
    { readonly services?: readonly { readonly deployments?: readonly EcsDeployment[] }[] }
  >;
  readonly UpdateService: Operation<
    ServiceInput & { readonly service: string; readonly forceNewDeployment: boolean },
    unknown
  >;
}

export interface EcsDeployment {
  readonly status?: string;
  readonly createdAt?: Date;
  /** `COMPLETED` once the tasks of earlier deployments have ended. */
  readonly rolloutState?: string;
}

interface TargetsInput {
  readonly TargetGroupArn: string;
  readonly Targets: readonly { readonly Id: string }[];
}

/** The operations of Elastic Load Balancing that are used. */
export interface LoadBalancingOperations {
  readonly DescribeTargetHealth: Operation<
    Pick<TargetsInput, 'TargetGroupArn'>,
    { readonly TargetHealthDescriptions?: readonly TargetHealthDescription[] }
  >;
  readonly RegisterTargets: Operation<TargetsInput, unknown>;
  readonly DeregisterTargets: Operation<TargetsInput, unknown>;
}

interface TargetHealthDescription {
  readonly Target?: { readonly Id?: string };
  readonly TargetHealth?: { readonly State?: string };
}

/**
 * AWS as the adapters call it, by signing name. There are two implementations, `sdkCalls` and `signedCalls`; a composition
 * chooses one for each service that it uses, and a simulation gives its own.
 */
export interface AwsCalls {
  readonly autoscaling: ServiceCalls<AutoScalingOperations>;
  readonly cloudformation: ServiceCalls<CloudFormationOperations>;
  readonly ec2: ServiceCalls<Ec2Operations>;
  readonly ecs: ServiceCalls<EcsOperations>;
  readonly elasticloadbalancing: ServiceCalls<LoadBalancingOperations>;
  readonly logs: ServiceCalls<LogsOperations>;
  readonly monitoring: ServiceCalls<CloudWatchOperations>;
  readonly s3: ServiceCalls<S3Operations>;
  readonly secretsmanager: ServiceCalls<SecretsManagerOperations>;
  readonly ssm: ServiceCalls<SsmOperations>;
}

/** The services of a runner fleet's programs. */
export type FleetAws = Pick<AwsCalls, 'autoscaling' | 'ec2' | 'monitoring' | 's3' | 'secretsmanager' | 'ssm'>;

/** The services of a search node's command. */
export type ClusterAws = Pick<AwsCalls, 'autoscaling' | 'ec2' | 'monitoring' | 's3' | 'secretsmanager'>;
