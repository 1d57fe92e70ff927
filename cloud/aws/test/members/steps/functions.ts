import { strToU8, zipSync } from 'fflate';
import type { Step } from '../play.ts';
import { everything, trust } from './identities.ts';

const source = (text: string) => ({ ZipFile: zipSync({ 'index.js': strToU8(text) }) });
const role = (name: string): Step[] => [
  ['iam:CreateRole', { RoleName: name, AssumeRolePolicyDocument: trust('lambda.amazonaws.com') }],
  ['iam:PutRolePolicy', { RoleName: name, PolicyName: 'own', PolicyDocument: everything }],
];
const roleArn = (name: string) => `arn:aws:iam::123456789012:role/${name}`;
const f = { FunctionName: 'f' };
const base = {
  Code: source('exports.handler = async (event) => { console.log("seen"); return { event, env: process.env.AA }; };'),
  Handler: 'index.handler',
  Runtime: 'nodejs24.x',
  Role: roleArn('one'),
};
const describe: Step = ['lambda:GetFunctionConfiguration', f];
const settings = (text: string, number: number) => ({
  Description: text,
  Environment: { Variables: { AA: text } },
  EphemeralStorage: { Size: 1_024 + number },
  LoggingConfig: { LogGroup: `/${text}` },
  MemorySize: 256 + number,
  Timeout: 10 + number,
  TracingConfig: { Mode: number === 0 ? 'Active' : 'PassThrough' },
});
const settle = 10_000;
const qualified = { ...f, Qualifier: '7' };

export const functions: readonly Step[] = [
  ...role('one'),
  ...role('two'),
  [
    'lambda:CreateFunction',
    { ...f, ...base, ...settings('one', 0), Architectures: ['arm64'], PackageType: 'Zip', Tags: { a: 'b' } },
  ],
  ['lambda:CreateFunction', { ...base, FunctionName: 'image', PackageType: 'Image' }],
  ['lambda:CreateFunction', { ...base, FunctionName: 'key', KMSKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/none' }],
  ['ec2:DescribeSubnets', {}],
  [
    'lambda:CreateFunction',
    ({ DescribeSubnets }) => ({
      ...base,
      FunctionName: 'net',
      VpcConfig: { SubnetIds: [DescribeSubnets.Subnets[0].SubnetId], SecurityGroupIds: ['sg-00000000000000000'] },
    }),
  ],
  settle,
  describe,
  ['lambda:GetFunctionConfiguration', qualified],
  ['lambda:CreateFunction', { ...base, FunctionName: 'g' }],
  ['lambda:ListFunctions', { MaxItems: 1 }],
  ['lambda:ListFunctions', ({ ListFunctions }) => ({ Marker: ListFunctions.NextMarker })],
  ['lambda:Invoke', { ...f, Payload: Buffer.from('{"a":1}'), LogType: 'Tail' }],
  ['lambda:Invoke', { ...f, InvocationType: 'Event' }],
  ['lambda:Invoke', { ...qualified }],
  [
    'lambda:UpdateFunctionConfiguration',
    { ...f, ...settings('two', 1), Handler: 'index.other', Runtime: 'nodejs22.x', Role: roleArn('two') },
  ],
  settle,
  describe,
  ['lambda:UpdateFunctionConfiguration', { ...f, KMSKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/none' }],
  settle,
  [
    'lambda:UpdateFunctionConfiguration',
    ({ DescribeSubnets }) => ({
      ...f,
      VpcConfig: { SubnetIds: [DescribeSubnets.Subnets[0].SubnetId], SecurityGroupIds: ['sg-00000000000000000'] },
    }),
  ],
  settle,
  describe,
  ['lambda:PutFunctionConcurrency', { ...f, ReservedConcurrentExecutions: 5 }],
  ['lambda:GetFunctionConcurrency', f],
  ['lambda:DeleteFunctionConcurrency', f],
  ['lambda:GetFunctionConcurrency', f],
  [
    'lambda:PutFunctionEventInvokeConfig',
    {
      ...f,
      MaximumEventAgeInSeconds: 60,
      MaximumRetryAttempts: 0,
      DestinationConfig: { OnFailure: { Destination: 'arn:aws:lambda:eu-west-1:123456789012:function:g' } },
    },
  ],
  ['lambda:PutFunctionEventInvokeConfig', { ...qualified, MaximumRetryAttempts: 0 }],
  ['lambda:DeleteFunction', qualified],
  ['lambda:DeleteFunction', f],
];
