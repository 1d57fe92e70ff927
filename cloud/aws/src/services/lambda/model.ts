import type { HttpHandler, KillableProcess } from '@drover/cloud-engine';
import type { Clock, Random } from '@drover/core';
import type { Caller } from '../../account/service.ts';

/** The files of a function's package, by path. */
export interface FunctionCode {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Those that the user whom Lambda runs functions as cannot read. */
  readonly unreadable: ReadonlySet<string>;
  readonly sha256: string;
  readonly size: number;
  /** Written into the template: AWS adds the module `cfn-response`. */
  readonly inline: boolean;
}

/** The settings and code of a function. */
export interface FunctionSettings {
  readonly code: FunctionCode;
  readonly role: string;
  readonly handler: string;
  readonly runtime: string;
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
  /** Of its subnets; undefined outside of any. */
  readonly vpcId: string | undefined;
  readonly architectures: readonly string[];
  readonly tracingMode: string;
  readonly kmsKeyArn: string | undefined;
  readonly ephemeralStorageMb: number;
  readonly logging: {
    readonly group: string | undefined;
    readonly format: 'Text' | 'JSON';
    readonly applicationLevel: string;
    readonly systemLevel: string;
  };
}

/** How events that wait in the queue are retried, and where they go in the end. */
export interface EventInvokeConfig {
  readonly maximumRetryAttempts: number;
  readonly maximumEventAgeSeconds: number;
  readonly onFailure: string | undefined;
  readonly modifiedAt: number;
}

export const latest = '$LATEST';

/** A function of the account. */
export interface LambdaFunction {
  readonly name: string;
  readonly arn: string;
  settings: FunctionSettings;
  /** The statements of its resource policy. */
  policy: PolicyDocument | undefined;
  eventInvokeConfig: EventInvokeConfig | undefined;
  reservedConcurrency: number | undefined;
  recursiveLoop: 'Allow' | 'Terminate';
  tags: Record<string, string>;
  state: 'Pending' | 'Active';
  lastUpdateStatus: 'InProgress' | 'Successful';
  modifiedAt: number;
  revisionId: string;
  running: number;
}

/** Replaced, never changed, when a statement comes or goes. */
interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Id: 'default';
  readonly Statement: readonly PolicyStatement[];
}

export interface PolicyStatement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Principal: Readonly<Record<string, string>> | '*';
  readonly Action: string;
  readonly Resource: string;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The second argument of a handler. (Developer Guide, "Using the Lambda context object to retrieve Node.js function information".) */
export interface FunctionContext {
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  readonly awsRequestId: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
  callbackWaitsForEmptyEventLoop: boolean;
  getRemainingTimeInMillis(): number;
}

export type Handler = (event: unknown, context: FunctionContext) => unknown;

/** The execution environment as injected code sees it. */
export interface FunctionEnvironment {
  readonly functionName: string;
  readonly env: Readonly<Record<string, string>>;
  /** Frozen between invocations, stopped when the environment dies. */
  readonly clock: Clock;
  readonly random: Random;
  /** The network as the function's subnets see it. A call of a dead environment never settles. */
  readonly http: HttpHandler;
  readonly process: KillableProcess;
  /** False once it timed out, crashed, was killed or retired. */
  readonly alive: boolean;
  /** For `aws.call` and `aws.directClient`: the role's credentials and the trace of the running invocation. */
  readonly caller: Caller;
  log(line: string): void;
}

/** A loaded program: what runs in an environment. */
export interface Program {
  invoke(event: unknown, context: FunctionContext): unknown;
  /** The environment has died. */
  stop?(): void;
}

/** The outcome of one run of the handler. */
export type Outcome =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly error: FunctionError };

/** The body of a failed response. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}
