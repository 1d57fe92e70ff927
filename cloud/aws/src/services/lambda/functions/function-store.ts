import type { Random } from '@drover/core';
import { AwsError } from '../../../account/errors.ts';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { ResourceProperties } from '../../../account/service.ts';
import { conflict, invalidValue } from '../errors.ts';
import type { EnvironmentPool } from '../invocation/pool.ts';
import type { LambdaFunction } from '../model.ts';
import type { Functions } from '../state.ts';
import { type CodeSource, readCode } from './code.ts';
import { type GivenSettings, settingsFrom } from './settings.ts';

/** "It can take Lambda up to 20 minutes to delete" the network interfaces of a function that left its subnets. (Developer Guide, VPC.) */
const interfacesLastMs = 20 * 60_000;

/** Makes, changes and removes functions. */
export class FunctionStore {
  readonly functions: Functions;
  readonly #aws: AwsNeighbours;
  readonly #pool: EnvironmentPool;
  readonly #random: Random;

  constructor(aws: AwsNeighbours, functions: Functions, pool: EnvironmentPool, random: Random) {
    this.#aws = aws;
    this.functions = functions;
    this.#pool = pool;
    this.#random = random;
  }

  create(given: ResourceProperties, tags: Readonly<Record<string, string>>): LambdaFunction {
    const name = validName(this.functions.parse(given.FunctionName).name);
    const arn = this.functions.arnOf(name);
    if (this.functions.all.has(name)) throw conflict(`Function already exist: ${name}`);
    if (given.PackageType === 'Image') throw invalidValue('the embedded cloud does not model container images');
    const chosen = settingsFrom(given, readCode(this.#aws, (given.Code ?? {}) as CodeSource));
    this.#requireRole(name, chosen.role, chosen.subnetIds.length > 0);
    const settings = { ...chosen, vpcId: this.#vpcOf(chosen) };
    const fn: LambdaFunction = {
      name,
      arn,
      settings,
      policy: undefined,
      eventInvokeConfig: undefined,
      reservedConcurrency: undefined,
      recursiveLoop: 'Terminate',
      tags: { ...tags },
      state: 'Pending',
      lastUpdateStatus: 'InProgress',
      modifiedAt: this.#now,
      revisionId: this.#random.uuid(),
      running: 0,
    };
    this.functions.all.set(name, fn);
    this.#becomeReady(fn);
    return fn;
  }

  updateConfiguration(fn: LambdaFunction, given: ResourceProperties): void {
    this.#requireSettled(fn);
    this.#replace(fn, settingsFrom(given, fn.settings.code, fn.settings));
  }

  /** Both at once, as an update of a template does: what the template no longer says falls back to the default. */
  redefine(fn: LambdaFunction, given: ResourceProperties): void {
    this.#replace(fn, settingsFrom(given, readCode(this.#aws, (given.Code ?? {}) as CodeSource)));
  }

  delete(fn: LambdaFunction): void {
    this.functions.all.delete(fn.name);
    this.#pool.retire(fn.settings);
  }

  get #now(): number {
    return this.#aws.engine.clock.now();
  }

  #replace(fn: LambdaFunction, settings: GivenSettings): void {
    if (settings.role !== fn.settings.role || settings.subnetIds !== fn.settings.subnetIds)
      this.#requireRole(fn.name, settings.role, settings.subnetIds.length > 0);
    this.#pool.retire(fn.settings);
    const left = fn.settings.securityGroupIds.filter((id) => !settings.securityGroupIds.includes(id));
    this.#aws.ec2.holdSecurityGroups(left, this.#now + interfacesLastMs);
    fn.settings = { ...settings, vpcId: this.#vpcOf(settings) };
    fn.modifiedAt = this.#now;
    fn.revisionId = this.#random.uuid();
    fn.lastUpdateStatus = 'InProgress';
    this.#becomeReady(fn);
  }

  /** Pending or InProgress for a moment, longer with network interfaces. (Developer Guide, "Lambda function states".) */
  #becomeReady(fn: LambdaFunction): void {
    const { revisionId } = fn;
    const inVpc = fn.settings.subnetIds.length > 0;
    this.#aws.engine.clock.after(this.#random.int(500, inVpc ? 8_000 : 2_000), () => {
      fn.state = 'Active';
      if (fn.revisionId === revisionId) fn.lastUpdateStatus = 'Successful';
    });
  }

  /** Lambda asks EC2 about the subnets and returns their VPC. */
  #vpcOf({ subnetIds }: GivenSettings): string | undefined {
    const { ec2 } = this.#aws;
    const missing = subnetIds.find((id) => ec2.vpcOfSubnet(id) === undefined);
    if (missing !== undefined)
      throw invalidValue(
        `Error occurred while DescribeSubnets. EC2 Error Code: InvalidSubnetID.NotFound. EC2 Error Message: The subnet ID '${missing}' does not exist`,
      );
    const [vpcId, ...others] = new Set(subnetIds.map((id) => ec2.vpcOfSubnet(id)));
    if (others.length > 0) throw invalidValue('The subnets of a function must all be in one VPC.');
    return vpcId;
  }

  #requireSettled(fn: LambdaFunction): void {
    if (fn.state === 'Active' && fn.lastUpdateStatus === 'Successful') return;
    throw conflict(`The operation cannot be performed at this time. An update is in progress for resource: ${fn.arn}`);
  }

  /** The role must trust Lambda; in a VPC it must be able to make network interfaces. (Developer Guide, "Giving Lambda functions access to resources in an Amazon VPC".) */
  #requireRole(name: string, role: string, inVpc: boolean): void {
    const { iam } = this.#aws;
    try {
      const { accessKeyId, sessionToken } = iam.assumeRoleForService(role, 'lambda.amazonaws.com', name);
      const principal = iam.principalFor(accessKeyId, sessionToken);
      if (inVpc) iam.authorize(principal, { action: 'ec2:CreateNetworkInterface', resource: '*' }, 'ec2');
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const denied = error.code === 'UnauthorizedOperation' || /CreateNetworkInterface/.test(error.message);
      throw invalidValue(
        denied
          ? 'The provided execution role does not have permissions to call CreateNetworkInterface on EC2'
          : 'The role defined for the function cannot be assumed by Lambda.',
      );
    }
  }
}

function validName(name: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw invalidValue(`FunctionName ${name} must be 1 to 64 letters, digits, hyphens and underscores`);
  return name;
}
