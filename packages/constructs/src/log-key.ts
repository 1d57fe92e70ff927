import { Aws, RemovalPolicy } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** One KMS key for the logs of a construct; CloudWatch Logs may use it for log groups of this account. */
export function logKey(scope: Construct, module: string): Key {
  const key = new Key(scope, 'LogKey', {
    enableKeyRotation: true,
    description: `logs of ${module}`,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  // CloudWatch Logs gives the log group's ARN as the encryption context (User Guide, "Encrypt log data using KMS").
  const ofThisAccount = `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:*`;
  const conditions = { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': ofThisAccount } };
  key.grantEncryptDecrypt(new ServicePrincipal(`logs.${Aws.REGION}.amazonaws.com`, { conditions }));
  return key;
}
