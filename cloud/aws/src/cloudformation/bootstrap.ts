import type { ArnScope } from '../account/arn.ts';
import type { AwsNeighbours } from '../account/neighbours.ts';

/** CDK's default qualifier, part of the names of bootstrap resources. */
export const qualifier = 'hnb659fds';

/** The bucket that assets and templates go to. */
export const assetBucket = (aws: ArnScope): string => `cdk-${qualifier}-assets-${aws.accountId}-${aws.region}`;

const roles = ['deploy-role', 'file-publishing-role', 'lookup-role', 'cfn-exec-role', 'image-publishing-role'];

/**
 * Gives the account what `cdk bootstrap` would: the asset bucket and the roles that the CDK's own command line assumes
 * (CDK Guide, "Bootstrapping"). `cdk deploy` over HTTP needs it; `deployCloudAssembly` does not.
 */
export async function bootstrapCdk({ aws }: { readonly aws: AwsNeighbours }): Promise<void> {
  aws.s3.createBucket(assetBucket(aws));
  for (const role of roles) await createRole(aws, `cdk-${qualifier}-${role}-${aws.accountId}-${aws.region}`);
}

async function createRole(aws: AwsNeighbours, RoleName: string): Promise<void> {
  const asRoot = { credentials: aws.iam.rootCredentials };
  const trust = { Service: 'cloudformation.amazonaws.com', AWS: `arn:aws:iam::${aws.accountId}:root` };
  const all = { Effect: 'Allow', Action: '*', Resource: '*' };
  const document = (statement: object) => JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  const AssumeRolePolicyDocument = document({ Effect: 'Allow', Principal: trust, Action: 'sts:AssumeRole' });
  await aws.call('iam', 'CreateRole', { RoleName, AssumeRolePolicyDocument }, asRoot);
  await aws.call('iam', 'PutRolePolicy', { RoleName, PolicyName: 'all', PolicyDocument: document(all) }, asRoot);
}
