// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub writes its variables so
import { describe, expect, it } from 'vitest';
import { parseTemplate } from '../parse.ts';
import type { TemplateValue } from '../template.ts';
import { conditionsOf, evaluateCondition } from './conditions.ts';
import { resolve } from './resolve.ts';
import { pseudoParameters, type Scope } from './scope.ts';

const template = parseTemplate(
  JSON.stringify({
    Mappings: { Sizes: { 'eu-west-1': { small: 't4g.small', zones: ['a', 'b'] } } },
    Conditions: { Yes: { 'Fn::Equals': ['1', 1] }, No: { 'Fn::Not': [{ Condition: 'Yes' }] } },
    Resources: { Bucket: { Type: 'AWS::S3::Bucket' } },
  }),
);

const withoutConditions: Omit<Scope, 'condition'> = {
  template,
  parameters: new Map([
    ['Name', { name: 'Name', given: 'fleet', value: 'fleet', hidden: false }],
    ['Subnets', { name: 'Subnets', given: 'subnet-1,subnet-2', value: ['subnet-1', 'subnet-2'], hidden: false }],
  ]),
  pseudo: pseudoParameters({ accountId: '123456789012', region: 'eu-west-1', stackName: 'demo', stackId: 'arn:stack' }),
  region: 'eu-west-1',
  zones: ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'],
  ref: (id) => `ref-of-${id}`,
  attribute: (id, name) => (name === 'List' ? ['x', 'y'] : `${name}-of-${id}`),
  importValue: (name) => `import-of-${name}`,
};
const scope: Scope = { ...withoutConditions, condition: conditionsOf(template, withoutConditions) };

const cases: Record<string, [value: TemplateValue, result: unknown][]> = {
  Ref: [
    [{ Ref: 'Name' }, 'fleet'],
    [{ Ref: 'Subnets' }, ['subnet-1', 'subnet-2']],
    [{ Ref: 'Bucket' }, 'ref-of-Bucket'],
    [{ Ref: 'AWS::Region' }, 'eu-west-1'],
    [{ Ref: 'AWS::AccountId' }, '123456789012'],
    [{ Ref: 'AWS::URLSuffix' }, 'amazonaws.com'],
    [{ a: { Ref: 'AWS::NoValue' }, b: 1 }, { b: 1 }],
    [['x', { Ref: 'AWS::NoValue' }], ['x']],
  ],
  'Fn::GetAtt': [
    [{ 'Fn::GetAtt': ['Bucket', 'Arn'] }, 'Arn-of-Bucket'],
    [{ 'Fn::GetAtt': 'Bucket.Endpoint.Port' }, 'Endpoint.Port-of-Bucket'],
    [{ 'Fn::GetAtt': ['Bucket', { Ref: 'Name' }] }, 'fleet-of-Bucket'],
  ],
  'Fn::Sub': [
    [{ 'Fn::Sub': 'arn:${AWS::Partition}:s3:::${Bucket}/${Bucket.Arn}' }, 'arn:aws:s3:::ref-of-Bucket/Arn-of-Bucket'],
    [{ 'Fn::Sub': ['${A}-${Name}', { A: { 'Fn::Join': ['+', ['1', '2']] } }] }, '1+2-fleet'],
    [{ 'Fn::Sub': 'echo ${!HOME} $HOME ${Name}' }, 'echo ${HOME} $HOME fleet'],
  ],
  'Fn::Join': [
    [{ 'Fn::Join': ['', ['a', { Ref: 'Name' }, 1]] }, 'afleet1'],
    [{ 'Fn::Join': [',', { Ref: 'Subnets' }] }, 'subnet-1,subnet-2'],
    [{ 'Fn::Join': [',', ['a', { Ref: 'AWS::NoValue' }, 'b']] }, 'a,b'],
  ],
  'Fn::Select': [
    [{ 'Fn::Select': [1, ['a', 'b']] }, 'b'],
    [{ 'Fn::Select': ['0', { 'Fn::GetAZs': '' }] }, 'eu-west-1a'],
  ],
  'Fn::Split': [[{ 'Fn::Split': ['|', 'a|b|'] }, ['a', 'b', '']]],
  'Fn::FindInMap': [
    [{ 'Fn::FindInMap': ['Sizes', { Ref: 'AWS::Region' }, 'small'] }, 't4g.small'],
    [{ 'Fn::FindInMap': ['Sizes', 'eu-west-1', 'zones'] }, ['a', 'b']],
    [{ 'Fn::FindInMap': ['Sizes', 'mars', 'small', { DefaultValue: 'none' }] }, 'none'],
  ],
  'Fn::Base64': [
    [{ 'Fn::Base64': { 'Fn::Sub': '#!/bin/sh ${Name}' } }, Buffer.from('#!/bin/sh fleet').toString('base64')],
  ],
  'Fn::GetAZs': [[{ 'Fn::GetAZs': { Ref: 'AWS::Region' } }, ['eu-west-1a', 'eu-west-1b', 'eu-west-1c']]],
  'Fn::ImportValue': [[{ 'Fn::ImportValue': { 'Fn::Sub': '${Name}-arn' } }, 'import-of-fleet-arn']],
  'Fn::If': [
    [{ 'Fn::If': ['Yes', 'a', 'b'] }, 'a'],
    [{ 'Fn::If': ['No', 'a', { Ref: 'Name' }] }, 'fleet'],
    [{ x: { 'Fn::If': ['No', 'a', { Ref: 'AWS::NoValue' }] } }, {}],
  ],
};

describe('intrinsic functions', () => {
  for (const [name, table] of Object.entries(cases))
    it.each(table)(`${name} gives for %j`, (value, result) => {
      expect(resolve(value, scope)).toEqual(result);
    });

  it.each<[TemplateValue, string]>([
    [{ 'Fn::Select': [2, ['a', 'b']] }, 'Fn::Select cannot select nonexistent value at index 2'],
    [{ 'Fn::Join': ['', 'text'] }, 'every Fn::Join object requires two parameters'],
    [{ 'Fn::FindInMap': ['Sizes', 'mars', 'small'] }, 'Unable to get mapping for Sizes::mars::small'],
    [{ 'Fn::Sub': '${Subnets}' }, 'variable Subnets in Fn::Sub expression does not resolve to a string'],
    [{ 'Fn::Cidr': ['10.0.0.0/24', 4, 8] }, 'the function Fn::Cidr is not known'],
    [{ 'Fn::GetAZs': 'us-east-1' }, 'only the region eu-west-1'],
    [{ 'Fn::Transform': { Name: 'AWS::Include' } }, 'runs no macros: Fn::Transform AWS::Include'],
    [{ 'Fn::Equals': ['a', 'b'] }, 'only in the Conditions and Rules sections'],
    [{ 'Fn::Nonsense': [] }, 'the function Fn::Nonsense is not known'],
    [{ 'Fn::If': ['Unknown', 1, 2] }, 'Unresolved condition dependency Unknown'],
  ])('%j is refused by name', (value, message) => {
    expect(() => resolve(value, scope)).toThrow(message);
  });
});

describe('condition functions', () => {
  it.each<[TemplateValue, boolean]>([
    [{ 'Fn::Equals': [{ Ref: 'Name' }, 'fleet'] }, true],
    [{ 'Fn::Equals': [1, '1'] }, true],
    [{ 'Fn::And': [{ Condition: 'Yes' }, { Condition: 'No' }] }, false],
    [{ 'Fn::Or': [{ Condition: 'No' }, { Condition: 'Yes' }] }, true],
    [{ 'Fn::Not': [{ Condition: 'No' }] }, true],
    [{ 'Fn::Contains': [['1', '2'], { Ref: 'Name' }] }, false],
    [{ 'Fn::EachMemberIn': [{ Ref: 'Subnets' }, ['subnet-1', 'subnet-2', 'subnet-3']] }, true],
    [{ 'Fn::EachMemberEquals': [{ Ref: 'Subnets' }, 'subnet-1'] }, false],
  ])('%j is %s', (value, result) => {
    expect(evaluateCondition(value, scope)).toBe(result);
  });

  it('refuses conditions that need each other', () => {
    const circular = { ...template, Conditions: { A: { 'Fn::Not': [{ Condition: 'B' }] }, B: { Condition: 'A' } } };
    expect(() => conditionsOf(circular, withoutConditions)('A')).toThrow('Circular dependencies in condition A');
  });
});

describe('YAML', () => {
  it('reads the short forms of the functions and keeps dates as text', () => {
    const parsed = parseTemplate(`
Resources:
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument: { Version: 2012-10-17, Statement: [] }
      RoleName: !Sub '\${AWS::StackName}-role'
      Path: !Join ['/', ['', !Ref Name, '']]
      Description: !GetAtt Other.Nested.Arn
      Tags:
        - !If [UseIt, { Key: a, Value: !Select [0, !GetAZs ''] }, !Ref AWS::NoValue]
`);
    expect(parsed.Resources.Role?.Properties).toEqual({
      AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [] },
      RoleName: { 'Fn::Sub': '${AWS::StackName}-role' },
      Path: { 'Fn::Join': ['/', ['', { Ref: 'Name' }, '']] },
      Description: { 'Fn::GetAtt': ['Other', 'Nested.Arn'] },
      Tags: [
        {
          'Fn::If': [
            'UseIt',
            { Key: 'a', Value: { 'Fn::Select': [0, { 'Fn::GetAZs': '' }] } },
            { Ref: 'AWS::NoValue' },
          ],
        },
      ],
    });
  });

  it.each([
    ['Resources: {A: &x {Type: AWS::S3::Bucket}, B: *x}', 'YAML aliases are not allowed'],
    ['Resources: {A: {Type: AWS::S3::Bucket}', 'YAML not well-formed'],
    ['Resources: {A: {Type: !Nope x}}', 'Unresolved tag: !Nope'],
    ['{"Resources": }', 'JSON not well-formed'],
    ['Resources: {}', 'At least one Resources member must be defined'],
    [
      '{"Resources": {"A": {"Type": "AWS::S3::Bucket"}}, "Extra": 1}',
      'Invalid template property or properties [Extra]',
    ],
    ['{"Resources": {"A-b": {"Type": "AWS::S3::Bucket"}}}', 'Resource name A-b is non alphanumeric'],
    ['{"Resources": {"A": {"Type": "AWS::S3::Bucket", "Props": {}}}}', "Invalid template resource property 'Props'"],
    [
      '{"Resources": {"A": {"Type": "AWS::S3::Bucket", "Properties": {"X": null}}}}',
      "[/Resources/A/Properties/X] 'null' values",
    ],
  ])('refuses %j', (body, message) => {
    expect(() => parseTemplate(body)).toThrow(message);
  });
});
