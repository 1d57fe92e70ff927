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
    ['a rule whose source is no address', 'AWS::EC2::SecurityGroup', rule({ CidrIp: 'hello' }), /not a valid CIDR/],
    ['a rule with a prefix of 33 bits', 'AWS::EC2::SecurityGroup', rule({ CidrIp: '10.0.0.0/33' }), /not a valid CIDR/],
    ['a rule with an unknown protocol', 'AWS::EC2::SecurityGroup', rule({ IpProtocol: 'nope' }), /Unknown protocol/],
    ['a rule without a source', 'AWS::EC2::SecurityGroup', rule({ CidrIp: undefined }), /Missing source specification/],
    [
      'a rule with an unknown prefix list',
      'AWS::EC2::SecurityGroup',
      rule({ CidrIp: undefined, SourcePrefixListId: 'pl-1' }),
      /prefix list ID 'pl-1' does not exist/,
    ],
    [
      'a rule with a malformed IPv6 block',
      'AWS::EC2::SecurityGroup',
      rule({ CidrIp: undefined, CidrIpv6: '::/129' }),
      /is malformed/,
    ],
    [
      'the same rule twice',
      'AWS::EC2::SecurityGroup',
      group({ SecurityGroupIngress: [1, 2].map(() => ({ IpProtocol: '-1', CidrIp: '10.0.0.0/8' })) }),
      /already exists/,
    ],
    ['a VPC larger than /16', 'AWS::EC2::VPC', { CidrBlock: '10.0.0.0/8' }, /'10\.0\.0\.0\/8' is invalid/],
    [
      'a subnet in an unknown zone',
      'AWS::EC2::Subnet',
      { VpcId: 'vpc-1', CidrBlock: '10.0.0.0/24', AvailabilityZone: 'us-east-1z' },
      /us-east-1z\) for parameter availabilityZone is invalid/,
    ],
    [
      'a Fargate size that does not exist',
      'AWS::ECS::TaskDefinition',
      { Cpu: '256', Memory: '8192', RequiresCompatibilities: ['FARGATE'] },
      /No Fargate configuration exists/,
    ],
    [
      'a lifecycle rule without an action',
      'AWS::S3::Bucket',
      { LifecycleConfiguration: { Rules: [{ Status: 'Enabled' }] } },
      /At least one action/,
    ],
    [
      'a health check whose interval is below its timeout',
      'AWS::ElasticLoadBalancingV2::TargetGroup',
      { HealthCheckIntervalSeconds: 5, HealthCheckTimeoutSeconds: 10 },
      /interval '5' must be greater than the timeout '10'/,
    ],
    [
      'an A record without a TTL',
      'AWS::Route53::RecordSet',
      { HostedZoneId: 'Z1', Name: 'a.example.com', Type: 'A', ResourceRecords: ['10.0.0.1'] },
      /Missing field TTL/,
    ],
    [
      'an A record with a value that is no address',
      'AWS::Route53::RecordSet',
      { HostedZoneId: 'Z1', Name: 'a.example.com', Type: 'A', TTL: '60', ResourceRecords: ['hello'] },
      /IllegalIPv4Address/,
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
