import { readFileSync } from 'node:fs';
import {
  CreateAutoScalingGroupCommand,
  DescribeScalingActivitiesCommand,
  PutScalingPolicyCommand,
} from '@aws-sdk/client-auto-scaling';
import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { CreateTagsCommand } from '@aws-sdk/client-ec2';
import { PutRuleCommand } from '@aws-sdk/client-eventbridge';
import { CreateRoleCommand } from '@aws-sdk/client-iam';
import { UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { ListSecretsCommand } from '@aws-sdk/client-secrets-manager';
import { DescribeInstanceInformationCommand } from '@aws-sdk/client-ssm';
import { type Clients, clients, World } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import table from '../account/limits.json' with { type: 'json' };
import { violations } from '../account/limits.ts';
import { serviceIds } from '../account/service.ts';

const many = (count: number) => Array.from({ length: count }, (_, index) => `i-${index}`);

describe('limits of inputs', () => {
  it.each<[string, (aws: Clients) => Promise<unknown>, string, RegExp]>([
    [
      'a range (Query)',
      ({ autoscaling }) =>
        autoscaling.send(new CreateAutoScalingGroupCommand({ AutoScalingGroupName: '', MinSize: 0, MaxSize: 0 })),
      'ValidationError',
      /^1 validation error detected: Value '' at 'autoScalingGroupName' .* length greater than or equal to 1$/,
    ],
    [
      'a list (JSON)',
      ({ ssm }) =>
        ssm.send(new DescribeInstanceInformationCommand({ Filters: [{ Key: 'InstanceIds', Values: many(101) }] })),
      'ValidationException',
      /'filters\.1\.member\.values' failed to satisfy constraint: Member must have length less than or equal to 100$/,
    ],
    [
      'a page size (JSON)',
      ({ ssm }) => ssm.send(new DescribeInstanceInformationCommand({ MaxResults: 51 })),
      'ValidationException',
      /'51' at 'maxResults' .* value less than or equal to 50$/,
    ],
    [
      'a page size (CloudWatch)',
      ({ cloudwatch }) => cloudwatch.send(new DescribeAlarmsCommand({ MaxRecords: 101 })),
      'ValidationException',
      /maxRecords/,
    ],
    [
      'a page size of logs',
      ({ logs }) => logs.send(new FilterLogEventsCommand({ logGroupName: 'g', limit: 10_001 })),
      'InvalidParameterException',
      /'limit'/,
    ],
    [
      'an enumeration (JSON)',
      ({ events }) => events.send(new PutRuleCommand({ Name: 'r', State: 'ON' as 'ENABLED' })),
      'ValidationException',
      /Member must satisfy enum value set: \[.*ENABLED/,
    ],
    [
      'a pattern (Query)',
      ({ iam }) => iam.send(new CreateRoleCommand({ RoleName: 'a b', AssumeRolePolicyDocument: '{}' })),
      'ValidationError',
      /roleName.*Member must satisfy regular expression pattern/,
    ],
    [
      'an enumeration (REST JSON)',
      ({ lambda }) =>
        lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: 'f', MemorySize: 64, Timeout: 0 })),
      'ValidationException',
      /^2 validation errors detected: .*'timeout'.*; .*'memorySize'/,
    ],
    [
      'an enumeration (REST XML)',
      ({ s3 }) => s3.send(new PutObjectCommand({ Bucket: 'b', Key: 'k', StorageClass: 'COLD' as 'GLACIER' })),
      'InvalidStorageClass',
      /storage class you specified is not valid/,
    ],
    [
      'a page size of secrets',
      ({ secretsmanager }) => secretsmanager.send(new ListSecretsCommand({ MaxResults: 101 })),
      'ValidationException',
      /maxResults/,
    ],
  ])('a request beyond a limit is refused: %s', async (_, send, name, message) => {
    await expect(send(clients(new World(), undefined, { maxAttempts: 1 }))).rejects.toMatchObject({
      name,
      message: expect.stringMatching(message),
    });
  });

  it('limits leave requests within them alone', async () => {
    const aws = clients(new World());

    await aws.autoscaling.send(new DescribeScalingActivitiesCommand({ MaxRecords: 100 }));
    await aws.ssm.send(
      new DescribeInstanceInformationCommand({ Filters: [{ Key: 'InstanceIds', Values: many(100) }], MaxResults: 50 }),
    );
    await expect(aws.ec2.send(new CreateTagsCommand({ Resources: ['vpc-1'], Tags: [] }))).rejects.toBeDefined();
  });

  it('a member that a part of an input needs is missed before anything is looked up', async () => {
    const { autoscaling } = clients(new World());
    const policy = { AutoScalingGroupName: 'none', PolicyName: 'p', PolicyType: 'TargetTrackingScaling' };
    const TargetTrackingConfiguration = { DisableScaleIn: true } as never;

    await expect(
      autoscaling.send(new PutScalingPolicyCommand({ ...policy, TargetTrackingConfiguration })),
    ).rejects.toThrow(
      "Value null at 'targetTrackingConfiguration.targetValue' failed to satisfy constraint: Member must not be null",
    );
  });

  it('the table of limits is made from the pinned version of botocore: npm run generate', () => {
    const pins = readFileSync(new URL('../../../../scripts/generate/botocore.txt', import.meta.url), 'utf8');

    expect(`botocore==${table.botocore}\n`).toBe(pins);
  });

  it.each(serviceIds)('the table of limits has every modelled operation of %s', (service) => {
    const modelled = Object.keys(new World().aws.services[service].operations).sort();

    expect(Object.keys(table[service].operations), 'npm run generate writes the table').toEqual(modelled);
    for (const operation of modelled) expect(violations(service, operation, {})).toEqual([]);
  });
});
