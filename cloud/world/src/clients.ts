import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { EC2Client } from '@aws-sdk/client-ec2';
import type { ECSClient } from '@aws-sdk/client-ecs';
import type { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { IAMClient } from '@aws-sdk/client-iam';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { Route53Client } from '@aws-sdk/client-route-53';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { STSClient } from '@aws-sdk/client-sts';
import type { Credentials, InProcessOptions, ServiceId } from '@drover/cloud-aws';
import { clientPackages, fastClientConfig, inProcessClientConfig, loadClientPackage } from '@drover/cloud-aws';
import type { World } from './world.ts';

/** An SDK client of every service with modelled operations. */
export interface Clients {
  readonly autoscaling: AutoScalingClient;
  readonly cloudformation: CloudFormationClient;
  readonly cloudwatch: CloudWatchClient;
  readonly ec2: EC2Client;
  readonly ecs: ECSClient;
  readonly elbv2: ElasticLoadBalancingV2Client;
  readonly events: EventBridgeClient;
  readonly iam: IAMClient;
  readonly lambda: LambdaClient;
  readonly logs: CloudWatchLogsClient;
  readonly route53: Route53Client;
  readonly s3: S3Client;
  readonly secretsmanager: SecretsManagerClient;
  readonly ssm: SSMClient;
  readonly sts: STSClient;
}

const signingNames: Readonly<Record<keyof Clients, ServiceId>> = {
  autoscaling: 'autoscaling',
  cloudformation: 'cloudformation',
  cloudwatch: 'monitoring',
  ec2: 'ec2',
  ecs: 'ecs',
  elbv2: 'elasticloadbalancing',
  events: 'events',
  iam: 'iam',
  lambda: 'lambda',
  logs: 'logs',
  route53: 'route53',
  s3: 's3',
  secretsmanager: 'secretsmanager',
  ssm: 'ssm',
  sts: 'sts',
};

export interface ClientsOptions extends InProcessOptions {
  /** Skips signatures and assembles middleware once: for mass simulation. @default false */
  readonly fast?: boolean;
  /** How often a call is tried. @default 3 */
  readonly maxAttempts?: number;
}

/** Real SDK clients that reach this world in process, each made when first used. Root credentials unless others are given. */
export function clients(
  world: World,
  credentials: Credentials = world.rootCredentials,
  options: ClientsOptions = {},
): Clients {
  const toConfig = options.fast === true ? fastClientConfig : inProcessClientConfig;
  const attempts = options.maxAttempts === undefined ? {} : { maxAttempts: options.maxAttempts };
  const config = { ...toConfig(world, credentials, options), ...attempts };
  const made = {};
  for (const [name, service] of Object.entries(signingNames))
    defineLazily(made, name, () => construct(service, config));
  return made as Clients;
}

function construct(service: ServiceId, config: object): unknown {
  const Client = loadClientPackage(service)[clientPackages[service][1]] as new (config: object) => unknown;
  return new Client({ ...config });
}

function defineLazily(target: object, name: string, make: () => unknown): void {
  Object.defineProperty(target, name, {
    configurable: true,
    enumerable: true,
    get: () => {
      const value = make();
      Object.defineProperty(target, name, { value, enumerable: true });
      return value;
    },
  });
}
