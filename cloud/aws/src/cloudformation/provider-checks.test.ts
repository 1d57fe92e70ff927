import { World } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import { makeResource } from './testing/make-resource.ts';

const group = (properties: object) => ({ GroupDescription: 'test', ...properties });
const rule = (properties: object) =>
  group({ SecurityGroupIngress: [{ IpProtocol: 'tcp', CidrIp: '10.0.0.0/8', FromPort: 1, ToPort: 2, ...properties }] });
const trust = (Principal: object) => ({
  AssumeRolePolicyDocument: {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal, Action: 'sts:AssumeRole' }],
  },
});
const code = { Code: { ZipFile: 'exports.handler = () => {}' }, Handler: 'index.handler' };
const role = 'arn:aws:iam::123456789012:role/r';

describe('resources of a template', () => {
  it.each<[string, string, object, RegExp]>([
    [
      'a function with an unknown runtime',
      'AWS::Lambda::Function',
      { ...code, Role: role, Runtime: 'nodejs99.x' },
      /nodejs99\.x at 'runtime'/,
    ],
    [
      'a security group whose description has an umlaut',
      'AWS::EC2::SecurityGroup',
      group({ GroupDescription: 'größer' }),
      /GroupDescription is invalid/,
    ],
    [
      'a security group with a description of 256 characters',
      'AWS::EC2::SecurityGroup',
      group({ GroupDescription: 'x'.repeat(256) }),
      /at most 255/,
    ],
    [
      'a security group rule whose description has a quote',
      'AWS::EC2::SecurityGroup',
      rule({ Description: "it's" }),
      /Description is invalid/,
    ],
    [
      'a security group rule with a port beyond 65535',
      'AWS::EC2::SecurityGroup',
      rule({ ToPort: 70_000 }),
      /Invalid TCP port range \(1-70000\)/,
    ],
    [
      'a security group rule whose range of ports is turned round',
      'AWS::EC2::SecurityGroup',
      rule({ FromPort: 3 }),
      /Invalid TCP port range \(3-2\)/,
    ],
    [
      'a security group rule of TCP with one port',
      'AWS::EC2::SecurityGroup',
      rule({ ToPort: undefined }),
      /both from and to ports/,
    ],
    [
      'a role that trusts an unknown service',
      'AWS::IAM::Role',
      trust({ Service: 'lamda.amazonaws.com' }),
      /"SERVICE":"lamda\.amazonaws\.com"/,
    ],
    [
      'a role that trusts a role that does not exist',
      'AWS::IAM::Role',
      trust({ AWS: 'arn:aws:iam::123456789012:role/none' }),
      /Invalid principal in policy/,
    ],
    [
      'a subscription with a filter policy',
      'AWS::SNS::Subscription',
      { FilterPolicy: {} },
      /does not model the parameter FilterPolicy/,
    ],
  ])('a template is refused for %s', async (_, type, properties, message) => {
    await expect((async () => makeResource(new World(), type, properties))()).rejects.toThrow(message);
  });
});
