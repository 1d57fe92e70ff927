import { describe, expect, it } from 'vitest';
import { synthesiseFleet, type Template } from './synth.test-support.ts';
import { ofType } from './templates.test-support.ts';

const group = 'actions-runner-production';
const given = { amiId: 'ami-0123456789abcdef0', extraPolicies: ['arn:aws:iam::123456789012:policy/deploy'] };
const parametersOf = (template: Template) =>
  ofType(template, 'AWS::SSM::Parameter').map(({ Properties }) => Properties);
const imageOf = (template: Template) =>
  (ofType(template, 'AWS::EC2::LaunchTemplate')[0]!.Properties.LaunchTemplateData as { ImageId: unknown }).ImageId;

it('a fleet without baked_image has neither a parameter for its image nor a role that bakes one', () => {
  const template = synthesiseFleet(given);
  expect(parametersOf(template)).toEqual([]);
  expect(imageOf(template)).toBe(given.amiId);
  expect(JSON.stringify(template)).not.toContain('drover:bake-profile');
});

it('new instances of a fleet with baked_image take the image that a parameter names, at first the one they would have', () => {
  const template = synthesiseFleet({ ...given, bakedImage: true });
  expect(parametersOf(template)).toMatchObject([
    { Name: `/drover/${group}/image`, DataType: 'aws:ec2:image', Type: 'String', Value: given.amiId },
  ]);
  expect(JSON.stringify(imageOf(template))).toContain('resolve:ssm:');
  const [fleet] = ofType(template, 'AWS::AutoScaling::AutoScalingGroup');
  expect(fleet!.Properties.Tags).toContainEqual({
    Key: 'drover:base-image',
    Value: given.amiId,
    PropagateAtLaunch: false,
  });
});

it('the role of a bake has no right on secrets, hooks and groups, and none of the extra policies', () => {
  const before = new Set(Object.keys(synthesiseFleet(given).Resources));
  const template = synthesiseFleet({ ...given, bakedImage: true });
  const added = Object.entries(template.Resources).filter(([id]) => !before.has(id));
  expect(added.map(([, { Type }]) => Type).sort()).toEqual([
    'AWS::IAM::InstanceProfile',
    'AWS::IAM::Policy',
    'AWS::IAM::Role',
    'AWS::SSM::Parameter',
  ]);
  const policy = added.find(([, { Type }]) => Type === 'AWS::IAM::Policy')![1];
  const { Statement } = policy.Properties.PolicyDocument as { Statement: { Action: string | string[] }[] };
  expect(new Set(Statement.flatMap(({ Action }) => Action))).toEqual(
    new Set(['s3:PutObject', 's3:GetObject', 'logs:CreateLogStream', 'logs:PutLogEvents']),
  );
  const role = added.find(([, { Type }]) => Type === 'AWS::IAM::Role')![1];
  expect(role.Properties).not.toHaveProperty('ManagedPolicyArns');
});

describe('with image_bake_days', () => {
  const bakes = { ...given, bakedImage: true, imageBakeDays: 7 };
  const functionNames = (template: Template) =>
    ofType(template, 'AWS::Lambda::Function').map(({ Properties }) => Properties.FunctionName);

  it('a fleet has one function more, which runs every five minutes, and one alarm more', () => {
    const [before, after] = [synthesiseFleet({ ...given, bakedImage: true }), synthesiseFleet(bakes)];
    const added = functionNames(after).filter((name) => !functionNames(before).includes(name));
    expect(added).toEqual([`${group}_image`]);
    const names = (template: Template) =>
      ofType(template, 'AWS::CloudWatch::Alarm').map(({ Properties }) => Properties.AlarmName);
    expect(names(after).filter((name) => !names(before).includes(name))).toEqual([`image_bakes_fail-${group}`]);
    const rates = ofType(after, 'AWS::Events::Rule').map(({ Properties }) => Properties.ScheduleExpression);
    expect(rates.filter((rate) => rate === 'rate(5 minutes)')).toHaveLength(1);
  });

  it('the parameter is written by the role of that function alone', () => {
    const types = { large: { bakedImage: true }, small: { bakedImage: false } };
    const template = synthesiseFleet({ ...bakes, scalingMode: 'jobs', types });
    const writers = ofType(template, 'AWS::IAM::Policy').filter(({ Properties }) =>
      JSON.stringify(Properties).includes('ssm:PutParameter'),
    );
    expect(writers).toHaveLength(1);
    const text = JSON.stringify(writers[0]!.Properties);
    expect(text).toContain('imageRole');
    expect(text).toContain(`parameter/drover/${group}/image`);
    expect(text).toContain(`parameter/drover/${group}-large/image`);
    expect(text).not.toContain(`${group}-small/`);
    expect(text).not.toContain('secretsmanager:');
  });

  it('image_bake_days is refused where no image is baked', () => {
    expect(() => synthesiseFleet({ ...given, imageBakeDays: 7 })).toThrow('there is no group whose images are baked');
    const types = { large: { bakedImage: true } };
    expect(() => synthesiseFleet({ ...given, scalingMode: 'jobs', imageBakeDays: 7, types })).not.toThrow();
  });
});
