import { Aws, RemovalPolicy } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** One KMS key for the logs of a construct; CloudWatch Logs may use it. */
export function logKey(scope: Construct, module: string): Key {
  const key = new Key(scope, 'LogKey', {
    enableKeyRotation: true,
    description: `logs of ${module}`,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  key.grantEncryptDecrypt(new ServicePrincipal(`logs.${Aws.REGION}.amazonaws.com`));
  return key;
}
