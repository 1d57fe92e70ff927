import {
  bakeNoteFolder,
  imageFolder,
  imageParameterName,
  imageTags,
  metricNamespace,
  releaseFolder,
} from '@drover/core/names/runner-fleet';
import { Aws, type CfnElement, Stack } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { acknowledgeWildcards } from '../../acknowledge.ts';
import { allow, instanceArn, local, volumeArn, wildcardFinding } from '../../statements.ts';
import type { RunnerFleetSettings } from '../settings.ts';

/** The parts of a group that launches of its bakes use. */
export interface BakeParts {
  readonly settings: RunnerFleetSettings;
  readonly templateId: string;
  readonly role: IRole;
  readonly securityGroupIds: readonly string[];
}

/** Images and snapshots have ARNs without an account (Service Authorization Reference, Amazon EC2, resource types). */
const ofRegion = (kind: string) => `arn:${Aws.PARTITION}:ec2:${Aws.REGION}::${kind}/*`;
const [images, snapshots, interfaces] = [ofRegion('image'), ofRegion('snapshot'), local('ec2', 'network-interface/*')];
const launched = [instanceArn('*'), volumeArn('*'), interfaces];

/**
 * The rights of `<asg>_image`: to launch from the launch templates of these groups alone, with the role of a bake and in their subnets and
 * security groups; to act on what has the tag of a bake of this fleet, which is given when it is made; and to write their parameters.
 */
export function allowBakes(
  role: IRole,
  vendor: string,
  memory: Bucket,
  groups: readonly { readonly bake: BakeParts | undefined }[],
): void {
  const parts = groups.flatMap(({ bake }) => bake ?? []);
  const names = parts.map(({ settings }) => settings.groupName);
  const all = (of: (part: BakeParts) => readonly string[]) => [...new Set(parts.flatMap(of))];
  const parameters = names.map((name) => local('ssm', `parameter${imageParameterName(name)}`));
  const asked = { StringEquals: { [`aws:RequestTag/${imageTags.imageOf}`]: names } };
  const tagged = { StringEquals: { [`aws:ResourceTag/${imageTags.imageOf}`]: names } };
  const keys = all(({ settings }) => (settings.kmsKeyArn === undefined ? [] : [settings.kmsKeyArn]));
  const statements = [
    allow(['autoscaling:DescribeAutoScalingGroups'], ['*']),
    allow(['ec2:DescribeImages', 'ec2:DescribeInstances', 'ec2:DescribeSnapshots'], ['*']),
    allow(['cloudwatch:PutMetricData'], ['*'], {
      StringEquals: { 'cloudwatch:namespace': metricNamespace(vendor) },
    }),
    allow(
      ['s3:GetObject'],
      [imageFolder, releaseFolder].map((folder) => memory.arnForObjects(`${folder}*`)),
    ),
    allow(['s3:GetObject', 's3:PutObject'], [memory.arnForObjects(`${bakeNoteFolder}*`)]),
    // Without it S3 returns 403 instead of 404 while an object does not exist yet.
    allow(['s3:ListBucket'], [memory.bucketArn]),
    allow(['ssm:GetParameter', 'ssm:GetParameters', 'ssm:PutParameter'], parameters),
    allow(['ec2:RunInstances'], launched, asked),
    allow(
      ['ec2:RunInstances'],
      [
        ...parts.map(({ templateId }) => local('ec2', `launch-template/${templateId}`)),
        ...all(({ settings }) => settings.subnetIds).map((id) => local('ec2', `subnet/${id}`)),
        ...all(({ securityGroupIds }) => securityGroupIds).map((id) => local('ec2', `security-group/${id}`)),
        images,
      ],
    ),
    allow(
      ['iam:PassRole'],
      parts.map((part) => part.role.roleArn),
      { StringEquals: { 'iam:PassedToService': `ec2.${Aws.URL_SUFFIX}` } },
    ),
    allow(['ec2:CreateTags'], [...launched, images, snapshots], {
      StringEquals: { ...asked.StringEquals, 'ec2:CreateAction': ['RunInstances', 'CreateImage'] },
    }),
    allow(['ec2:CreateTags'], [images], {
      ...tagged,
      'ForAllValues:StringEquals': { 'aws:TagKeys': [imageTags.promoted] },
    }),
    allow(['ec2:CreateImage'], [images, snapshots], asked),
    allow(['ec2:CreateImage', 'ec2:TerminateInstances'], [instanceArn('*')], tagged),
    allow(['ec2:DeregisterImage'], [images], tagged),
    allow(['ec2:DeleteSnapshot'], [snapshots], tagged),
    ...(keys.length === 0
      ? []
      : [allow(keyActions, keys), allow(['kms:CreateGrant'], keys, { Bool: { 'kms:GrantIsForAWSResource': 'true' } })]),
  ];
  for (const statement of statements) role.addToPrincipalPolicy(statement);
  acknowledgeWildcards(role, reasons(memory));
}

/** EC2 uses a key of the customer's with the caller's rights (EC2 User Guide, "Requirements for Amazon EBS encryption"). */
const keyActions = ['kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKeyWithoutPlaintext', 'kms:ReEncrypt*'];

/** Why the policy contains wildcards, by the name of each finding of cdk-nag. */
function reasons(memory: Bucket): Readonly<Record<string, string>> {
  const memoryId = Stack.of(memory).getLogicalId(memory.node.defaultChild as CfnElement);
  const byTag = 'what a bake makes has no name before; a condition on its tag narrows it';
  return {
    'Action::kms:ReEncrypt*': 'from one key, and to it',
    ...Object.fromEntries([...launched, snapshots].map((arn) => [wildcardFinding(arn), byTag])),
    [wildcardFinding(images)]:
      'the image of a launch may be any base image; a condition on the tag narrows what changes one',
    [`Resource::<${memoryId}.Arn>/${imageFolder}*`]: 'one report for each instance of a bake; they are not known',
    [`Resource::<${memoryId}.Arn>/${bakeNoteFolder}*`]: 'one note for each group',
  };
}
