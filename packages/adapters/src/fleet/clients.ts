import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { EC2Client } from '@aws-sdk/client-ec2';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';

/** The AWS clients of a runner fleet's programs. Only `send` is used, so a simulation may give its own. */
export interface FleetClients {
  readonly autoscaling: Pick<AutoScalingClient, 'send'>;
  readonly cloudwatch: Pick<CloudWatchClient, 'send'>;
  readonly ec2: Pick<EC2Client, 'send'>;
  readonly s3: Pick<S3Client, 'send'>;
  readonly secrets: Pick<SecretsManagerClient, 'send'>;
  readonly ssm: Pick<SSMClient, 'send'>;
}

/** Real SDK clients, each made when it is first used. */
export function sdkClients(config: { readonly region: string }): FleetClients {
  const common = config as ConstructorParameters<typeof AutoScalingClient>[0];
  const made = new Map<string, unknown>();
  const once = <T>(name: string, make: () => T): T => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name) as T;
  };
  return {
    get autoscaling() {
      return once('autoscaling', () => new AutoScalingClient(common));
    },
    get cloudwatch() {
      return once('cloudwatch', () => new CloudWatchClient(common));
    },
    get ec2() {
      return once('ec2', () => new EC2Client(common));
    },
    get s3() {
      return once('s3', () => new S3Client({ ...common, forcePathStyle: true } as never));
    },
    get secrets() {
      return once('secrets', () => new SecretsManagerClient(common));
    },
    get ssm() {
      return once('ssm', () => new SSMClient(common));
    },
  };
}
