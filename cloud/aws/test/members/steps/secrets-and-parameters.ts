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

export const parameters: readonly Step[] = [
  ({ aws }) => aws.ssm.setParameter('/a/b', 'v'),
  ['ssm:GetParameter', { Name: '/a/b', WithDecryption: true }],
];
