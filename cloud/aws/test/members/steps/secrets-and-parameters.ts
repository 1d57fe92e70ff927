import type { Step } from '../play.ts';

const secret = { SecretId: 's' };
const token = 'first-first-first-first-first-first';
const second = 'second-second-second-second-second';
const tags = [{ Key: 'team', Value: 'ops' }];

export const secrets: readonly Step[] = [
  [
    'secretsmanager:CreateSecret',
    { Name: 's', SecretString: 'x', ClientRequestToken: token, Description: 'd', Tags: tags },
  ],
  ['secretsmanager:CreateSecret', { Name: 'binary', SecretBinary: Buffer.from('x') }],
  ['secretsmanager:CreateSecret', { Name: 'key', SecretString: 'x', KmsKeyId: 'alias/none' }],
  ['secretsmanager:DescribeSecret', secret],
  [
    'secretsmanager:PutSecretValue',
    { ...secret, SecretString: 'y', ClientRequestToken: second, VersionStages: ['NEXT'] },
  ],
  ['secretsmanager:PutSecretValue', { ...secret, SecretBinary: Buffer.from('y') }],
  ['secretsmanager:GetSecretValue', { ...secret, VersionId: token }],
  ['secretsmanager:GetSecretValue', { ...secret, VersionStage: 'NEXT' }],
  ['secretsmanager:TagResource', { ...secret, Tags: [{ Key: 'a', Value: 'b' }] }],
  ['secretsmanager:DescribeSecret', secret],
  ['secretsmanager:UntagResource', { ...secret, TagKeys: ['a'] }],
  [
    'secretsmanager:UpdateSecretVersionStage',
    { ...secret, VersionStage: 'NEXT', RemoveFromVersionId: second, MoveToVersionId: token },
  ],
  ['secretsmanager:DescribeSecret', secret],
  301_000,
  ['secretsmanager:ListSecrets', { Filters: [{ Key: 'name', Values: ['b'] }] }],
  ['secretsmanager:ListSecrets', { SortOrder: 'asc' }],
  ['secretsmanager:ListSecrets', { MaxResults: 1 }],
  ['secretsmanager:ListSecrets', ({ ListSecrets }) => ({ NextToken: ListSecrets.NextToken })],
  ['secretsmanager:DeleteSecret', { ...secret, RecoveryWindowInDays: 7 }],
  ['secretsmanager:RestoreSecret', secret],
  ['secretsmanager:DeleteSecret', secret],
  301_000,
  ['secretsmanager:ListSecrets', { IncludePlannedDeletion: true }],
  ['secretsmanager:DeleteSecret', { SecretId: 'binary', ForceDeleteWithoutRecovery: true }],
];

const string = { Type: 'String', Value: 'v' };

export const parameters: readonly Step[] = [
  ['ssm:PutParameter', { Name: '/a/b', ...string, Tags: tags }],
  ['ssm:PutParameter', { Name: '/a/c/d', Type: 'SecureString', Value: 'v', Description: 'd' }],
  ['ssm:PutParameter', { Name: '/a/key', Type: 'SecureString', Value: 'v', KeyId: 'alias/none' }],
  ['ssm:PutParameter', { Name: '/a/b', Value: 'w', Overwrite: true }],
  ['ssm:PutParameter', { Name: '/a/b', Value: 'x', Overwrite: true, Tags: tags }],
  ['ssm:PutParameter', { Name: '/e', ...string, Description: 'd' }],
  ['ssm:GetParameter', { Name: '/a/b' }],
  ['ssm:GetParameter', { Name: '/a/c/d', WithDecryption: true }],
  ['ssm:GetParametersByPath', { Path: '/a' }],
  ['ssm:GetParametersByPath', { Path: '/a', Recursive: true, WithDecryption: true }],
  ['ssm:GetParametersByPath', { Path: '/a', Recursive: true, MaxResults: 1 }],
  [
    'ssm:GetParametersByPath',
    ({ GetParametersByPath }) => ({ Path: '/a', Recursive: true, NextToken: GetParametersByPath.NextToken }),
  ],
  ['ssm:DeleteParameter', { Name: '/e' }],
];
