import type { Aws, Credentials, FunctionEnvironment, TaskProgram } from '@drover/cloud-aws';

/** Loads a function into an execution environment. */
type FunctionLoader = Parameters<Aws['lambda']['runWith']>[1];

/** Actions on a world that its operator can take and no API call can. */
export interface Operation {
  /** Writes an object, without credentials and without a journal entry. */
  putObject(bucket: string, key: string, body: Uint8Array): void;
  deleteObject(bucket: string, key: string): void;
  /** Registers the behaviour of an image's containers. */
  registerImage(image: RegExp, program: TaskProgram): void;
  /**
   * Runs matching functions as plain code instead of their bundle; `factory` is called once per execution environment, for those
   * that begin while `when` holds.
   */
  injectFunction(
    match: (functionName: string) => boolean,
    factory: (environment: FunctionEnvironment) => (event: unknown) => unknown,
    when?: () => boolean,
  ): void;
  /** Runs matching functions with the given loader; the newest match wins. */
  runFunctionsWith(match: (functionName: string) => boolean, loader: FunctionLoader): void;
  /** Ends all execution environments with their processes. */
  stopFunctions(): void;
  /** Concurrent executions of the account. */
  limitConcurrency(limit: number): void;
  /** Takes a spot instance away with two minutes' notice. */
  reclaimSpot(instanceId: string): void;
  /** EC2 recommends to replace a spot instance, which may be taken away soon. */
  recommendRebalance(instanceId: string): void;
  /** Systems Manager no longer knows the agent of an instance. */
  unregisterAgent(instanceId: string): void;
  appendLog(logGroup: string, logStream: string, message: string): void;
  /** Credentials of a role as an AWS service gets them, e.g. `ec2.amazonaws.com` for an instance. */
  assumeRole(roleArn: string, service: string, sessionName: string): Credentials;
  /** A default route to the VPC's NAT gateway, for each of the subnets. */
  routeThroughNat(subnetIds: readonly string[]): void;
}
