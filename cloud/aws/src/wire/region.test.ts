import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient, ListRolesCommand } from '@aws-sdk/client-iam';
import { CreateBucketCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { clients, World } from '@drover/cloud-world';
import { expect, it } from 'vitest';
import { inProcessClientConfig } from './client-config.ts';

it('a request that is signed for another region is refused, those of global services are not', async () => {
  const world = new World();
  const config = { ...inProcessClientConfig(world, world.rootCredentials), region: 'us-east-1', maxAttempts: 1 };
  const refused = { message: expect.stringContaining('eu-west-1') };
  await clients(world).s3.send(new CreateBucketCommand({ Bucket: 'data' }));

  await expect(new EC2Client(config).send(new DescribeInstancesCommand({}))).rejects.toMatchObject({
    name: 'AuthFailure',
    ...refused,
  });
  await expect(new AutoScalingClient(config).send(new DescribeAutoScalingGroupsCommand({}))).rejects.toMatchObject({
    name: 'InvalidClientTokenId',
    ...refused,
  });
  await expect(new SecretsManagerClient(config).send(new ListSecretsCommand({}))).rejects.toMatchObject({
    name: 'UnrecognizedClientException',
    ...refused,
  });
  await expect(new S3Client(config).send(new GetObjectCommand({ Bucket: 'data', Key: 'k' }))).rejects.toMatchObject({
    name: 'AuthorizationHeaderMalformed',
    ...refused,
  });
  await new IAMClient(config).send(new ListRolesCommand({}));
  await new STSClient(config).send(new GetCallerIdentityCommand({}));
});
