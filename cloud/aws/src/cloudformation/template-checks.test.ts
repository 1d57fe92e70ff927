// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates write their variables so
import {
  CreateStackCommand,
  DescribeStackEventsCommand,
  GetTemplateSummaryCommand,
} from '@aws-sdk/client-cloudformation';
import { describe, expect, it } from 'vitest';
import type { TemplateObject } from './template/template.ts';
import { stackWorld } from './testing/stack-world.ts';

const bucket = (Properties: TemplateObject = {}, more: TemplateObject = {}) => ({
  Type: 'AWS::S3::Bucket',
  Properties,
  ...more,
});

describe('a template is refused before anything is made', () => {
  it.each<[string, TemplateObject, string]>([
    [
      'an unknown type',
      { Resources: { A: { Type: 'AWS::S3::Bukket' } } },
      'Unrecognized resource types: [AWS::S3::Bukket (A)]',
    ],
    [
      'an unknown reference',
      { Resources: { A: bucket({ BucketName: { Ref: 'B' } }) } },
      'Unresolved resource dependencies [B] in the Resources block',
    ],
    [
      'an unknown attribute',
      { Resources: { A: bucket(), B: bucket({ BucketName: { 'Fn::GetAtt': ['A', 'Nope'] } }) } },
      'resource A does not support attribute type Nope in Fn::GetAtt',
    ],
    [
      'an unknown dependency',
      { Resources: { A: bucket({}, { DependsOn: ['B'] }) } },
      'Unresolved resource dependencies [B]',
    ],
    [
      'an output that refers to nothing',
      { Resources: { A: bucket() }, Outputs: { B: { Value: { Ref: 'C' } } } },
      'Unresolved resource dependencies [C] in the Outputs block',
    ],
    [
      'an output with a hyphen in its name',
      { Resources: { A: bucket() }, Outputs: { 'a-b': { Value: 'x' } } },
      'Output name a-b is non alphanumeric',
    ],
    [
      'a cycle',
      {
        Resources: {
          A: bucket({}, { DependsOn: 'B' }),
          B: bucket({}, { DependsOn: 'C' }),
          C: bucket({}, { DependsOn: 'A' }),
        },
      },
      'Circular dependency between resources: [A, B, C]',
    ],
    [
      'a description of more than 1,024 bytes',
      { Description: 'x'.repeat(1025), Resources: { A: bucket() } },
      "'Description' length is greater than 1024",
    ],
    [
      'an update policy that is not modelled',
      {
        Resources: { A: bucket({}, { UpdatePolicy: { AutoScalingReplacingUpdate: { WillReplace: true } } }) },
      },
      'does not model the update policy AutoScalingReplacingUpdate',
    ],
    [
      'a function that is not modelled',
      { Resources: { A: bucket({ BucketName: { 'Fn::Cidr': ['10.0.0.0/24', 4, 8] } }) } },
      'does not model Fn::Cidr',
    ],
    ['an unknown condition', { Resources: { A: bucket({}, { Condition: 'X' }) } }, 'Unresolved condition dependency X'],
    [
      'a resource in a condition',
      { Conditions: { X: { 'Fn::Equals': [{ Ref: 'A' }, 'a'] } }, Resources: { A: bucket() } },
      'Cannot reference resources in the Conditions block',
    ],
    [
      'a macro',
      { Transform: 'AWS::Serverless-2016-10-31', Resources: { A: bucket() } },
      'transform AWS::Serverless-2016-10-31 is not modelled',
    ],
    [
      'a CreationPolicy',
      { Resources: { A: bucket({}, { CreationPolicy: { ResourceSignal: { Count: 1 } } }) } },
      'does not model CreationPolicy (resource A',
    ],
    [
      'a nested stack',
      { Resources: { A: { Type: 'AWS::CloudFormation::Stack', Properties: { TemplateURL: 'x' } } } },
      'does not model AWS::CloudFormation::Stack (resource A)',
    ],
    [
      'a failed rule',
      {
        Parameters: { N: { Type: 'Number', Default: 3 } },
        Rules: {
          Big: {
            Assertions: [
              { Assert: { 'Fn::Contains': [['5', '6'], { Ref: 'N' }] }, AssertDescription: 'N must be 5 or 6' },
            ],
          },
        },
        Resources: { A: bucket() },
      },
      'N must be 5 or 6',
    ],
    [
      'IAM without acknowledgement',
      { Resources: { A: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: {} } } } },
      'Requires capabilities : [CAPABILITY_IAM]',
    ],
    [
      'named IAM with the lesser acknowledgement',
      { Resources: { A: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'x', AssumeRolePolicyDocument: {} } } } },
      'Requires capabilities : [CAPABILITY_NAMED_IAM]',
    ],
  ])('a template is refused before anything is made for %s', async (what, template, message) => {
    const { create } = stackWorld();
    const more = what.startsWith('named') ? { Capabilities: ['CAPABILITY_IAM'] } : {};
    await expect(create('demo', template, more)).rejects.toThrow(message);
  });

  it.each<[string, TemplateObject, string | undefined, string]>([
    ['without a value', { Type: 'String' }, undefined, 'Parameters: [P] must have values'],
    [
      'outside the allowed values',
      { Type: 'String', AllowedValues: ['a', 'b'] },
      'c',
      "Parameter 'P' must be one of AllowedValues",
    ],
    [
      'against the pattern',
      { Type: 'String', AllowedPattern: '[a-z]+' },
      'a1',
      "Parameter 'P' must match pattern [a-z]+",
    ],
    ['too short', { Type: 'String', MinLength: 3 }, 'ab', "Parameter 'P' must contain at least 3 characters"],
    ['too long', { Type: 'String', MaxLength: 3 }, 'abcd', "Parameter 'P' must contain at most 3 characters"],
    ['that is no number', { Type: 'Number' }, 'many', "Parameter 'P' must be a number"],
    ['too small', { Type: 'Number', MinValue: 5 }, '4', "Parameter 'P' must be a number not less than 5"],
    ['too large', { Type: 'Number', MaxValue: 5 }, '6', "Parameter 'P' must be a number not greater than 5"],
    [
      'with its own words',
      { Type: 'String', AllowedPattern: 'x', ConstraintDescription: 'must be an x' },
      'y',
      "Parameter 'P' failed to satisfy constraint: must be an x",
    ],
    [
      'not in the parameter store',
      { Type: 'AWS::SSM::Parameter::Value<String>' },
      '/none',
      'Unable to fetch parameters [/none] from parameter store',
    ],
    ['of an unknown type', { Type: 'Strin' }, 'x', 'Unrecognized parameter type: Strin (parameter P)'],
  ])('a template is refused before anything is made for a parameter %s', async (_what, declaration, value, message) => {
    const { create } = stackWorld();
    const Parameters = value === undefined ? [] : [{ ParameterKey: 'P', ParameterValue: value }];
    const template = { Parameters: { P: declaration }, Resources: { A: bucket() } };
    await expect(create('demo', template, { Parameters })).rejects.toThrow(message);
  });

  it('a template is refused for a parameter that it does not declare, and for a body over 51200 bytes', async () => {
    const { create, sdk } = stackWorld();
    const Parameters = [{ ParameterKey: 'Q', ParameterValue: '1' }];
    await expect(create('demo', { Resources: { A: bucket() } }, { Parameters })).rejects.toThrow(
      'Parameters: [Q] do not exist in the template',
    );
    const TemplateBody = JSON.stringify({ Description: 'x'.repeat(60_000), Resources: { A: bucket() } });
    await expect(sdk.cloudformation.send(new CreateStackCommand({ StackName: 'big', TemplateBody }))).rejects.toThrow(
      'less than or equal to 51200',
    );
  });
});

describe('properties', () => {
  it.each<[string, TemplateObject, string]>([
    [
      'an unknown property',
      { Type: 'AWS::S3::Bucket', Properties: { Bukket: 1 } },
      '#: extraneous key [Bukket] is not permitted',
    ],
    [
      'an unknown nested property',
      bucket({ VersioningConfiguration: { Statuss: 'Enabled', Status: 'Enabled' } }),
      '#/VersioningConfiguration: extraneous key [Statuss] is not permitted',
    ],
    [
      'a missing property',
      { Type: 'AWS::S3::BucketPolicy', Properties: { Bucket: 'b' } },
      '#: required key [PolicyDocument] not found',
    ],
    ['a wrong type', bucket({ Tags: { Key: 'a' } }), '#/Tags: expected type: JSONArray, found: JSONObject'],
    [
      'a wrong number',
      { Type: 'AWS::Logs::LogGroup', Properties: { RetentionInDays: 'soon' } },
      '#/RetentionInDays: expected type: Number, found: String',
    ],
  ])('%s fails the resource by name and rolls the stack back', async (_what, resource, message) => {
    const { create, events } = stackWorld();
    const stack = await create('demo', { Resources: { Thing: resource } });
    expect(stack.StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(events('demo').join('\n')).toContain(
      `Properties validation failed for resource Thing with message:\n${message}`,
    );
  });

  it('a resource type that is not modelled, of a service that is, fails the stack by its name', async () => {
    const { create, events } = stackWorld();
    const Properties = { AutoScalingGroupName: 'g', LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' };
    const { StackStatus } = await create('demo', {
      Resources: { Hook: { Type: 'AWS::AutoScaling::LifecycleHook', Properties } },
    });
    expect(StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(events('demo').join()).toContain('does not model AWS::AutoScaling::LifecycleHook');
  });

  it('properties of a type without behaviour are checked, and it gets an id and attributes', async () => {
    const { create } = stackWorld();
    const stack = await create('demo', {
      Resources: {
        Table: { Type: 'AWS::DynamoDB::Table', Properties: { KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }] } },
      },
      Outputs: { Name: { Value: { Ref: 'Table' } }, Arn: { Value: { 'Fn::GetAtt': ['Table', 'Arn'] } } },
    });
    const [name, arn] = stack.Outputs!.map((each) => each.OutputValue!);
    expect(name).toMatch(/^demo-Table-[A-Z0-9]{12}$/);
    expect(arn).toBe(`arn:aws:dynamodb:eu-west-1:123456789012:table/${name}`);
  });

  it('a type without behaviour has the name that its template gives, also in its ARN', async () => {
    const stack = await stackWorld().create('demo', {
      Resources: {
        Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'q' } },
        Stream: { Type: 'AWS::Kinesis::Stream', Properties: { Name: 's' } },
        Disk: { Type: 'AWS::EFS::FileSystem' },
      },
      Outputs: {
        Arn: { Value: { 'Fn::GetAtt': ['Queue', 'Arn'] } },
        Name: { Value: { 'Fn::GetAtt': ['Queue', 'QueueName'] } },
        Stream: { Value: { 'Fn::Sub': '${Stream} ${Stream.Arn}' } },
        Disk: { Value: { 'Fn::Sub': '${Disk} ${Disk.FileSystemId} ${Disk.Arn}' } },
      },
    });
    const [arn, name, stream, disk] = stack.Outputs!.map((each) => each.OutputValue!);
    expect([arn, name]).toEqual(['arn:aws:sqs:eu-west-1:123456789012:q', 'q']);
    expect(stream).toBe('s arn:aws:kinesis:eu-west-1:123456789012:stream/s');
    expect(disk).toMatch(/^([a-z0-9]{12}) \1 arn:aws:elasticfilesystem:eu-west-1:123456789012:file-system\/\1$/);
  });

  it.each([
    ['Ref', { Ref: 'Queue' }, 'does not know the Ref of AWS::SQS::Queue (resource Queue)'],
    ['an attribute', { 'Fn::GetAtt': ['Queue', 'QueueUrl'] }, 'gives no attribute QueueUrl for AWS::SQS::Queue'],
  ])('%s that a service without a model chooses is refused, not made up', async (_what, Value, message) => {
    const { create, events } = stackWorld();
    const Queue = { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'q' } };
    const User = { Type: 'AWS::SSM::Parameter', Properties: { Type: 'String', Value } };
    expect((await create('demo', { Resources: { Queue } })).StackStatus).toBe('CREATE_COMPLETE');
    expect((await create('user', { Resources: { Queue, User } })).StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(events('user').join()).toContain(message);
  });
});

describe('parameters and conditions', () => {
  it('reach resources, hide what must not be shown and leave out what no condition wants', async () => {
    const { create, world, sdk } = stackWorld();
    world.aws.ssm.setParameter('/names', 'one,two');
    const stack = await create(
      'demo',
      {
        Parameters: {
          Secret: { Type: 'String', NoEcho: true },
          Names: { Type: 'AWS::SSM::Parameter::Value<List<String>>', Default: '/names' },
          Stage: { Type: 'String', Default: 'test' },
        },
        Conditions: { IsProduction: { 'Fn::Equals': [{ Ref: 'Stage' }, 'production'] } },
        Resources: {
          A: bucket({ Tags: [{ Key: 'k', Value: { 'Fn::Sub': 'value-${Secret}' } }] }),
          OnlyInProduction: bucket({}, { Condition: 'IsProduction' }),
        },
        Outputs: {
          Second: { Value: { 'Fn::Select': [1, { Ref: 'Names' }] } },
          Production: { Value: { Ref: 'OnlyInProduction' }, Condition: 'IsProduction' },
        },
      },
      { Parameters: [{ ParameterKey: 'Secret', ParameterValue: 'hush' }] },
    );
    expect(stack.Parameters).toEqual([
      { ParameterKey: 'Secret', ParameterValue: '****' },
      { ParameterKey: 'Names', ParameterValue: '/names', ResolvedValue: 'one,two' },
      { ParameterKey: 'Stage', ParameterValue: 'test' },
    ]);
    expect(stack.Outputs).toEqual([{ OutputKey: 'Second', OutputValue: 'two' }]);
    expect(world.aws.cloudformation.stacks.get('demo').resources.size).toBe(1);
    const shown = await sdk.cloudformation.send(new DescribeStackEventsCommand({ StackName: 'demo' }));
    expect(JSON.stringify(shown.StackEvents)).toContain('value-****');
    expect(JSON.stringify(shown.StackEvents)).not.toContain('hush');
    const summary = await sdk.cloudformation.send(new GetTemplateSummaryCommand({ StackName: 'demo' }));
    expect(summary.ResourceTypes).toEqual(['AWS::S3::Bucket']);
  });

  it('parameters and conditions give tags of the stack to resources that take tags', async () => {
    const { create, world } = stackWorld();
    await create(
      'demo',
      { Resources: { A: bucket({ BucketName: 'tagged', Tags: [{ Key: 'own', Value: '1' }] }) } },
      { Tags: [{ Key: 'team', Value: 'ops' }] },
    );
    expect(world.aws.s3.storage.bucket('tagged').settings.get('BucketTagging')).toEqual([
      { Key: 'own', Value: '1' },
      { Key: 'team', Value: 'ops' },
      { Key: 'aws:cloudformation:stack-name', Value: 'demo' },
      { Key: 'aws:cloudformation:stack-id', Value: expect.stringContaining(':stack/demo/') },
      { Key: 'aws:cloudformation:logical-id', Value: 'A' },
    ]);
  });
});

it('refuses parameters of requests that it does not model', async () => {
  const { create } = stackWorld();
  const work = create('demo', { Resources: { A: bucket() } }, { StackPolicyBody: '{}' });
  await expect(work).rejects.toThrow('does not model the parameter StackPolicyBody');
});
