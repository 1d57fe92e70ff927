import { App, Stack } from 'aws-cdk-lib';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { RunnerFleet, type RunnerTypeProps } from '../src/index.ts';
import { configurationFile, problemsOf } from '../src/inputs/module-inputs.test-support.ts';
import {
  exampleContext,
  exampleInputs,
  exampleProps,
  type Resource,
  synthesiseFleet,
  type Template,
} from './synth.test-support.ts';
import { ofType, type Statement, text } from './templates.test-support.ts';

const group = 'actions-runner-production';
const policy = 'arn:aws:iam::123456789012:policy/deploy';
const jobs = {
  scalingMode: 'jobs',
  scaleUpLimit: undefined,
  asgMinSize: 0,
  warmPoolMaxSize: 0,
  warmPoolMinSize: undefined,
} as const;
const types: Readonly<Record<string, RunnerTypeProps>> = {
  large: { instanceTypes: ['m7a.2xlarge', 'm6a.2xlarge'], asgMaxSize: 40, extraLabels: ['big'] },
  arm: { architecture: 'arm64', instanceType: 'm8g.xlarge', idleRunnersTargetCount: 1 },
  deploy: { extraPolicies: [policy], runnerGroup: 'Deployments' },
};

type Tag = { readonly Key: string; readonly Value: string; readonly PropagateAtLaunch: boolean };

let without: Template;
let fleet: Template;
beforeAll(() => {
  without = synthesiseFleet(jobs);
  fleet = synthesiseFleet({ ...jobs, types });
});

const groups = (template: Template) =>
  new Map(
    ofType(template, 'AWS::AutoScaling::AutoScalingGroup').map(({ Properties }) => [
      Properties.AutoScalingGroupName as string,
      Properties,
    ]),
  );
const groupOf = (type: string) => groups(fleet).get(`${group}-${type}`)!;
const tagsOf = (type: string) =>
  Object.fromEntries((groupOf(type).Tags as Tag[]).map(({ Key, Value }) => [Key, Value]));

/** The resource that a template's logical id names somewhere in a value. */
const referenced = (value: unknown, type: string): Resource => {
  const [, found] = Object.entries(fleet.Resources).find(
    ([id, { Type }]) => Type === type && text(value).includes(`"${id}"`),
  )!;
  return found;
};
const templateOf = (type: string) => referenced(groupOf(type), 'AWS::EC2::LaunchTemplate').Properties;
const data = (type: string) => templateOf(type).LaunchTemplateData as Readonly<Record<string, unknown>>;
const roleOf = (type: string) =>
  referenced(referenced(data(type).IamInstanceProfile, 'AWS::IAM::InstanceProfile').Properties.Roles, 'AWS::IAM::Role');

describe('a runner fleet with types', () => {
  it('every resource of the fleet without types has its id and its name in the fleet with types', () => {
    const names = ({ Resources }: Template) =>
      Object.entries(Resources).map(([id, { Type, Properties }]) =>
        [
          id,
          Type,
          Properties.FunctionName ?? Properties.AutoScalingGroupName ?? Properties.AlarmName ?? Properties.LogGroupName,
        ].join(' '),
      );

    expect(names(fleet)).toEqual(expect.arrayContaining(names(without)));
    expect(fleet.Outputs).toEqual(without.Outputs);
  });

  it('the group, the launch template and the role of the default type are those of the fleet without types', () => {
    const [before] = ofType(without, 'AWS::AutoScaling::AutoScalingGroup');
    const [template] = ofType(without, 'AWS::EC2::LaunchTemplate');

    expect(groups(fleet).get(group)).toEqual(before!.Properties);
    expect(ofType(fleet, 'AWS::EC2::LaunchTemplate')).toContainEqual(template);
  });

  it('a type has a group, a launch template, a role, its policy and an instance profile, and nothing else', () => {
    const count = (template: Template) => {
      const counts: Record<string, number> = {};
      for (const { Type } of Object.values(template.Resources)) counts[Type] = (counts[Type] ?? 0) + 1;
      return counts;
    };
    const [before, after] = [count(without), count(fleet)];
    const added = Object.entries(after).filter(([type, number]) => number !== before[type]);

    expect(Object.fromEntries(added.map(([type, number]) => [type, number - (before[type] ?? 0)]))).toEqual({
      'AWS::AutoScaling::AutoScalingGroup': 3,
      'AWS::EC2::LaunchTemplate': 3,
      'AWS::IAM::Role': 3,
      'AWS::IAM::Policy': 3,
      'AWS::IAM::InstanceProfile': 3,
    });
  });

  it('the functions find what a type is for in the tags of its group, and instances have its name', () => {
    expect(tagsOf('large')).toMatchObject({
      'drover:fleet': group,
      'drover:type': 'large',
      'drover:labels': `${group}-large big`,
      'drover:idle-target': '0',
    });
    expect(tagsOf('arm')).toMatchObject({ 'drover:idle-target': '1', 'drover:labels': `${group}-arm` });
    expect(tagsOf('deploy')).toMatchObject({ 'drover:runner-group': 'Deployments' });
    expect((groupOf('large').Tags as Tag[]).filter((tag) => !tag.PropagateAtLaunch).map(({ Key }) => Key)).toEqual([
      'drover:idle-target',
      'drover:instance-type',
      'drover:labels',
    ]);
  });

  it('a type may describe its instance types, and takes over those that the fleet describes unless it names some', () => {
    const ofCores = (min: number) => ({ vcpuCount: { min }, memoryMib: { min: 4096 } });
    const described = groups(
      synthesiseFleet({
        ...jobs,
        instanceType: undefined,
        instanceRequirements: ofCores(2),
        types: {
          large: { instanceRequirements: ofCores(8) },
          arm: { architecture: 'arm64' },
          named: { instanceType: 'm7a.large' },
        },
      }),
    );
    const cores = (type: string) =>
      (/"VCpuCount":\{"Min":(\d)\}/.exec(text(described.get(`${group}-${type}`)!.MixedInstancesPolicy ?? '')) ?? [])[1];

    expect([cores('large'), cores('arm'), cores('named')]).toEqual(['8', '2', undefined]);
    expect(text(described.get(`${group}-large`)!.Tags)).not.toContain('drover:instance-type');
    expect(text(described.get(`${group}-named`)!.Tags)).toContain('drover:instance-type');
  });

  it('the dashboard has a row for each type, the default one first, and without types none', () => {
    const titles = (template: Template) =>
      [...text(ofType(template, 'AWS::CloudWatch::Dashboard')[0]!.Properties).matchAll(/title\W+(Type [\w: ]+)/g)].map(
        ([, title]) => title,
      );

    expect(titles(without)).toEqual([]);
    expect(titles(fleet)).toEqual(
      ['default', 'arm', 'deploy', 'large'].flatMap((type) => [`Type ${type}: jobs`, `Type ${type}: instances`]),
    );
    expect(text(ofType(fleet, 'AWS::CloudWatch::Dashboard')[0]!.Properties)).toContain(`${group}-large`);
  });

  it('the on-demand fallback of a type is deleted before its group, by which the functions know the hosts of both', () => {
    const spot = { onDemandBaseCapacity: 0, onDemandFallback: true };
    const groupIds = (template: Template) =>
      Object.entries(template.Resources).filter(([, { Type }]) => Type === 'AWS::AutoScaling::AutoScalingGroup');
    const all = groupIds(synthesiseFleet({ ...jobs, types: { large: spot } }));
    const [id] = all.find(([, { Properties }]) => Properties.AutoScalingGroupName === `${group}-large`)!;
    const [, fallback] = all.find(([, { Properties }]) => Properties.AutoScalingGroupName === `${group}-large-od`)!;

    expect(fallback.DependsOn).toContain(id);
  });

  it('a type begins at zero and has the maximum of the fleet unless its own is given', () => {
    expect([groupOf('large').MinSize, groupOf('large').MaxSize]).toEqual(['0', '40']);
    expect([groupOf('arm').MinSize, groupOf('arm').MaxSize]).toEqual(['0', groups(fleet).get(group)!.MaxSize]);
  });

  it('policies of one type reach the role of that type alone', () => {
    expect(text(roleOf('deploy').Properties.ManagedPolicyArns)).toContain(policy);
    expect(roleOf('large').Properties.ManagedPolicyArns).toBeUndefined();
    expect(text(ofType(without, 'AWS::IAM::Role'))).not.toContain(policy);
  });

  it('the role of a type completes hooks of its own group and reads secrets of its own prefix alone', () => {
    const ofLarge = ofType(fleet, 'AWS::IAM::Policy').find(({ Properties }) =>
      text(Properties.PolicyDocument).includes(`secret:actions-runner/${group}-large/`),
    );
    const others = ofType(fleet, 'AWS::IAM::Policy').filter(
      ({ Properties }) => !text(Properties.Roles).includes('Functions'),
    );
    const own = others.filter(({ Properties }) => text(Properties.PolicyDocument).includes(`${group}-large`));

    expect(ofLarge).toBeDefined();
    expect(own).toHaveLength(1);
    expect(text(own[0]!.Properties.PolicyDocument)).not.toContain(`${group}"`);
    expect(text(own[0]!.Properties.PolicyDocument)).not.toContain(`${group}/`);
    expect(text(own[0]!.Properties.PolicyDocument)).not.toContain(`${group}-arm`);
  });

  it('the functions have rights on groups with the name and the tag of the fleet, and events of each group reach them', () => {
    const policies = ofType(fleet, 'AWS::IAM::Policy').filter(({ Properties }) =>
      text(Properties.Roles).includes('Functionsdemand'),
    );
    const patterns = ofType(fleet, 'AWS::Events::Rule').flatMap(({ Properties }) => Properties.EventPattern ?? []);

    for (const name of [group, `${group}-large`, `${group}-arm`, `${group}-deploy`])
      expect(patterns.map((pattern) => text(pattern).includes(`"${name}"`))).toEqual([true, true]);
    const statements = policies.flatMap(
      ({ Properties }) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement,
    );
    const ofTypes = statements.filter(({ Resource: on }) => text(on).includes(`autoScalingGroupName/${group}-*"`));
    expect(ofTypes.map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { 'autoscaling:ResourceTag/drover:fleet': group } },
    ]);
    expect(text(policies)).not.toContain('autoScalingGroupName/*');
  });

  it('functions of a fleet with an empty map of types keep their rights, and take down the type that was the last', () => {
    const empty = synthesiseFleet({ ...jobs, types: {} });
    const functions = ofType(empty, 'AWS::Lambda::Function').map(({ Properties }) => text(Properties.Environment));

    expect(text(ofType(empty, 'AWS::IAM::Policy'))).toContain(`autoScalingGroupName/${group}-*"`);
    expect(functions.filter((environment) => environment.includes('"FLEET_TYPES":"true"'))).not.toEqual([]);
  });

  it('instances of a second architecture have its Node, its image and a mirror of its own of the runner software', () => {
    const software = (type: string) => text(data(type).UserData);
    const versions = ofType(fleet, 'AWS::Lambda::Function').filter(({ Properties }) =>
      String(Properties.FunctionName).endsWith('_runner_version'),
    );

    expect(text(data('arm').ImageId)).toContain('arm64');
    expect(software('arm')).not.toEqual(software('large'));
    expect(text(versions)).toContain('"RUNNER_OTHER_ARCHITECTURE":"arm64"');
  });

  it('three types add no alarm, and those of groups read the worst of all types', () => {
    const alarms = (template: Template) =>
      ofType(template, 'AWS::CloudWatch::Alarm').map(({ Properties }) => Properties.AlarmName);
    const alarm = (name: string) =>
      ofType(fleet, 'AWS::CloudWatch::Alarm').find(({ Properties }) => Properties.AlarmName === name)!.Properties;

    expect(alarms(fleet).sort()).toEqual(alarms(without).sort());
    expect(alarm(`group_at_maximum-${group}`)).toMatchObject({
      MetricName: 'GroupRoom',
      Statistic: 'Minimum',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
    });
    expect(alarm(`launch_stuck-${group}`)).toMatchObject({ MetricName: 'LaunchAgeSeconds', Threshold: 1800 });
  });

  it('the policies of the functions of a fleet with 20 types stay below the 10,240 characters of IAM', () => {
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`fifteen-${String(index).padStart(7, '0')}`, {}]),
    );
    const app = new App({ context: exampleContext });
    new RunnerFleet(new Stack(app, 'stack'), 'Fleet', { ...exampleProps(), ...jobs, types: many });
    const template = app.synth().getStackByName('stack').template as Template;
    const size = ({ Properties }: Resource) =>
      text(Properties.PolicyDocument)
        .replaceAll(/\{"Fn::Join":\["",\[(.*?)\]\]\}/g, '$1')
        .replaceAll('{"Ref":"AWS::Partition"}', 'aws')
        .replaceAll('{"Ref":"AWS::Region"}', 'ap-southeast-1')
        .replaceAll('{"Ref":"AWS::AccountId"}', '123456789012')
        .replaceAll('","', '').length;

    expect(ofType(template, 'AWS::IAM::ManagedPolicy')).toEqual([]);
    expect(Math.max(...ofType(template, 'AWS::IAM::Policy').map(size))).toBeLessThan(10_240);
  });
});

describe('inputs of types', () => {
  const { read } = configurationFile(RunnerFleet.readConfiguration);
  const { scale_up_limit, warm_pool_min_size, ...rest } = exampleInputs();
  const inFile = { ...rest, scaling_mode: 'jobs', warm_pool_max_size: 0 };
  const refused = (changes: object) =>
    problemsOf(() => read(stringify({ ...inFile, ...changes }))).problems.map(
      ({ key, problem, remedy }) => `${key}: ${problem}. ${remedy}`,
    );

  it('types of a file give the template that the same types as props give', () => {
    const ofFile = read(stringify({ ...inFile, asg_min_size: 0, types: { large: { asg_max_size: 9 } } }));
    const { types: ofProps } = { types: { large: { asgMaxSize: 9 } } };

    expect(groups(synthesiseFleet(ofFile as never)).get(`${group}-large`)).toEqual(
      groups(synthesiseFleet({ ...jobs, types: ofProps })).get(`${group}-large`),
    );
  });

  it('an unknown input of a type is refused with the type and the nearest one', () => {
    expect(refused({ types: { large: { instance_typ: 'm7a.large' } } })).toEqual([
      'types.large.instanceTyp: there is no such input. Did you mean types.large.instance_type?',
    ]);
  });

  it('a wrong value of a type is refused with the type, the value and what is allowed', () => {
    expect(refused({ types: { large: { asg_max_size: 0 } } })).toEqual([
      'types.large.asg_max_size: 0 is not allowed. Give a whole number from 1 to 10000',
    ]);
  });

  it('a contradiction of one type is refused with its name', () => {
    expect(refused({ types: { arm: { architecture: 'arm64', instance_type: 'm7a.large' } } })).toEqual([
      expect.stringMatching(/^types\.arm\.architecture: arm64 is not what m7a\.large has/),
    ]);
  });

  it('two types with a common label stop the synthesis with both names and the label, whatever its case', () => {
    expect(refused({ types: { large: { extra_labels: ['big'] }, huge: { extra_labels: ['Big'] } } })).toEqual([
      'types: the type huge and the type large have the label big, and a job with it could go to either. Give each of them labels of its own',
    ]);
    expect(refused({ extra_labels: ['gpu'], types: { large: { extra_labels: ['gpu'] } } })).toEqual([
      expect.stringMatching(/^types: the default type and the type large have the label gpu/),
    ]);
  });

  it('types are refused in idle mode with the reason', () => {
    expect(refused({ scaling_mode: 'idle', types: { large: {} } })).toEqual([
      expect.stringMatching(/^types: with scaling_mode idle each type would list every runner/),
    ]);
  });

  it('a label or a runner group that does not fit into a tag is refused', () => {
    expect(refused({ types: { large: { extra_labels: ['a*b'] } } })).toEqual([
      expect.stringMatching(/^types\.large\.extra_labels: it does not fit into a tag/),
    ]);
  });

  it('21 types are refused, and a name that makes the group too long', () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`t${index}`, {}]));

    expect(refused({ types: many })).toEqual([expect.stringMatching(/^types: 21 types are more than/)]);
    expect(refused({ group_name: 'g'.repeat(40), types: { 'a-long-type': {} } })).toEqual([
      expect.stringMatching(/^types: the group g+-a-long-type has 52 characters, and may have 49/),
    ]);
  });

  it('a fixed runner version is refused for types of two architectures', () => {
    const fixed = { runner_version: '2.330.0', runner_checksum: 'b'.repeat(64) };

    expect(refused({ ...fixed, types: { arm: { architecture: 'arm64' } } })).toEqual([
      expect.stringMatching(/^runner_version: its runner_checksum is that of one architecture/),
    ]);
  });

  it('the roles of types are members of the construct, for grants', () => {
    const stack = new Stack(new App(), 'stack');
    const { typeRoles } = new RunnerFleet(stack, 'Fleet', { ...exampleProps(), ...jobs, types });

    expect(Object.keys(typeRoles).sort()).toEqual(['arm', 'deploy', 'large']);
  });
});
