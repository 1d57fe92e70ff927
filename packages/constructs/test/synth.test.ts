import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { moduleVersion } from '@drover/core/names/version';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  GitHubCredentials,
  Network,
  type RunnerFleetProps,
  runnerFleetOutputs,
  stackOutputName,
} from '../src/index.ts';
import {
  applyTemplateRules,
  example,
  exampleContext,
  readTemplate,
  synthesise,
  synthesiseFleet,
  type Template,
} from './synth.test-support.ts';

applyTemplateRules();

const group = 'actions-runner-production';
const subnetIds = ['subnet-0a1b2c3d4e5f60711', 'subnet-0a1b2c3d4e5f60712'];
const arn = (service: string, rest: string) => `arn:aws:${service}:eu-west-1:123456789012:${rest}`;

/** Each turns on a part of the template that the others lack. */
const variants: Readonly<Record<string, Partial<RunnerFleetProps>>> = {
  'the example': {},
  'a warm pool by default': { imageFamily: 'ubuntu-22.04', warmPoolMaxSize: undefined },
  'a warm pool of its own size': { warmPoolMinSize: 3, warmPoolMaxSize: 12 },
  'spot above an on-demand base': { onDemandBaseCapacity: 2, instanceTypes: ['t3a.medium', 't3.medium'] },
  'an app that authenticates': {
    credentials: GitHubCredentials.appFromArn('4711', arn('secretsmanager', 'secret:app-key-AbCdEf')),
  },
  'a runner group': { runnerGroup: 'builders' },
  'a network of its own': {
    extraSecurityGroupIds: ['sg-0a1b2c3d4e5f60718'],
    httpProxy: 'http://proxy.example.com:3128',
    httpsProxy: 'http://proxy.example.com:3128',
    noProxy: ['.s3.eu-west-1.amazonaws.com'],
    caCertificates: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    permissionsBoundaryArn: 'arn:aws:iam::123456789012:policy/boundary',
  },
  'an Enterprise Server': { platformApi: 'https://github.example.com:8443/api/v3' },
  'everything else': {
    network: Network.fromIds({ vpcId: 'vpc-0a1b2c3d4e5f60718', subnetIds }),
    lambdaSubnetIds: undefined,
    runnerSubnetsPrivate: true,
    groupName: 'builders',
    asgMinSize: 0,
    architecture: 'arm64',
    amiId: 'ami-0123456789abcdef0',
    rootVolumeSize: 50,
    rootDeviceName: '/dev/xvda',
    cpuCredits: 'standard',
    detailedMonitoring: false,
    kmsKeyArn: arn('kms', 'key/1234abcd-12ab-34cd-56ef-1234567890ab'),
    maxInstanceLifetimeDays: 0,
    extraLabels: ['gpu', 'eu'],
    runnerReleaseDate: undefined,
    packages: ['runner-data'],
    puppetHieraConfigPath: '/opt/runner-data/hiera.yaml',
    extraFiles: { '/etc/motd': 'hello' },
    extraRepos: { tools: 'deb https://packages.example.com stable main' },
    postRuncmd: ['touch /var/lib/ready'],
    extraPolicies: ['arn:aws:iam::123456789012:policy/builders'],
    alarmEmails: ['ops@example.com'],
    alarmTopicArns: [arn('sns', 'pager')],
    functionLogPrefix: '/fleet',
    logRetentionDays: 30,
    ownLogKey: false,
    vendor: 'Example',
    tags: { team: 'build' },
  },
};

describe('a synthesised fleet', () => {
  it.each(Object.entries(variants))(
    'the template of a fleet has no findings of the template rules and cdk-nag with %s',
    (_, changes) => {
      expect(Object.keys(synthesiseFleet(changes).Resources).length).toBeGreaterThan(40);
    },
  );

  it('a value that AWS would refuse fails the synthesis', () => {
    const faulty = () => synthesise((stack) => new CfnQueue(stack, 'Queue', { delaySeconds: -1 }));

    expect(faulty).toThrow(/DelaySeconds|delay/i);
  });

  it('a finding of cdk-nag without an acknowledgement fails the synthesis', () => {
    expect(() => synthesise((stack) => new Bucket(stack, 'Open'))).toThrow(/AwsSolutions-S1: .*Open/);
  });
});

describe('the outputs of a fleet', () => {
  let template: Template;
  beforeAll(() => {
    template = synthesiseFleet();
  });
  const resourceOf = (value: unknown) => {
    const { Ref, 'Fn::GetAtt': [id] = [Ref] } = value as { Ref?: string; 'Fn::GetAtt'?: string[] };
    return template.Resources[id ?? ''];
  };

  it.each([
    ['autoscaling_group_name', 'AutoscalingGroupName', { AutoScalingGroupName: group }],
    ['registration_function_name', 'RegistrationFunctionName', { FunctionName: `${group}_registration` }],
    ['deregistration_function_name', 'DeregistrationFunctionName', { FunctionName: `${group}_deregistration` }],
    ['record_metric_function_name', 'RecordMetricFunctionName', { FunctionName: `${group}_record_metric` }],
    ['runner_version_function_name', 'RunnerVersionFunctionName', { FunctionName: `${group}_runner_version` }],
    ['registration_log_group', 'RegistrationLogGroup', { LogGroupName: `/aws/lambda/${group}_registration` }],
    ['deregistration_log_group', 'DeregistrationLogGroup', { LogGroupName: `/aws/lambda/${group}_deregistration` }],
    ['record_metric_log_group', 'RecordMetricLogGroup', { LogGroupName: `/aws/lambda/${group}_record_metric` }],
    ['runner_version_log_group', 'RunnerVersionLogGroup', { LogGroupName: `/aws/lambda/${group}_runner_version` }],
    ['alarm_topic_arn', 'AlarmTopicArn', { KmsMasterKeyId: {} }],
    ['runner_role_arn', 'RunnerRoleArn', { AssumeRolePolicyDocument: {} }],
    ['registration_role_arn', 'RegistrationRoleArn', { AssumeRolePolicyDocument: {} }],
    ['deregistration_role_arn', 'DeregistrationRoleArn', { AssumeRolePolicyDocument: {} }],
    ['record_metric_role_arn', 'RecordMetricRoleArn', { AssumeRolePolicyDocument: {} }],
    ['runner_version_role_arn', 'RunnerVersionRoleArn', { AssumeRolePolicyDocument: {} }],
  ])('the output %s is %s in the stack and refers to the resource', (name, output, properties) => {
    expect(stackOutputName(name)).toBe(output);
    expect(resourceOf(template.Outputs[output]?.Value)?.Properties).toMatchObject(properties);
  });

  it('the outputs of a fleet are those of the table, in its order', () => {
    const { Outputs } = template;

    const { cache_bucket_name, cache_roles, ...always } = runnerFleetOutputs;
    expect([cache_bucket_name, cache_roles]).not.toContain(undefined);
    expect(Object.keys(Outputs)).toEqual(Object.keys(always).map(stackOutputName));
    expect(Outputs.RegistrationTokenSecretPrefix?.Value).toBe(`actions-runner/${group}/`);
    expect(Outputs.ModuleVersion?.Value).toBe(moduleVersion);
    expect(JSON.stringify(Outputs.DashboardUrl)).toContain(`#dashboards:name=${group}`);
  });

  it('every resource of a fleet that can be tagged has the tag module_version, even if tags name it too', () => {
    const { Resources } = synthesiseFleet({ tags: { team: 'build', module_version: '0' } });
    const tagged = Object.values(Resources).filter(({ Properties }) => Properties?.Tags !== undefined);

    expect(new Set(tagged.map(({ Type }) => Type))).toEqual(new Set(taggable));
    for (const { Properties } of tagged) {
      expect(Properties.Tags).toContainEqual(expect.objectContaining({ Key: 'module_version', Value: moduleVersion }));
      expect(Properties.Tags).toContainEqual(expect.objectContaining({ Key: 'team', Value: 'build' }));
    }
  });
});

const taggable = [
  'AWS::AutoScaling::AutoScalingGroup',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::EC2::SecurityGroup',
  'AWS::Events::Rule',
  'AWS::IAM::Role',
  'AWS::KMS::Key',
  'AWS::Lambda::Function',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
  'AWS::SNS::Topic',
];

describe('the network of the functions', () => {
  const ports = (platformApi: string) =>
    Object.values(synthesiseFleet({ platformApi }).Resources)
      .filter(({ Properties }) => /^functions of/.test(String(Properties?.GroupDescription)))
      .flatMap(({ Properties }) => Properties.SecurityGroupEgress as { ToPort: number }[])
      .map(({ ToPort }) => ToPort);

  it.each([
    ['https://api.github.com', [443]],
    ['https://github.example.com:8443/api/v3', [443, 8443]],
    ['http://github.example.com/api/v3', [443, 80]],
  ])('the functions can reach AWS and %s only', (platformApi, expected) => {
    expect(ports(platformApi)).toEqual(expected);
  });
});

describe('examples/runner-fleet', () => {
  it('the example synthesises offline to its template.snap.json', async () => {
    const template = await synthesiseExample();

    await expect(`${JSON.stringify(template, null, 2)}\n`).toMatchFileSnapshot(join(example, 'template.snap.json'));
  });
});

/** Runs the app as the `cdk` command does: it finds its folder and its context in the environment. */
async function synthesiseExample() {
  const outdir = mkdtempSync(join(tmpdir(), 'drover-example-'));
  Object.assign(process.env, { CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(exampleContext) });
  await import(join(example, 'app.ts'));
  return withoutHashes(readTemplate(outdir));
}

/** A change of a program changes the hash of its package; the template is the same. */
const withoutHashes = (template: unknown): unknown =>
  JSON.parse(JSON.stringify(template).replaceAll(/\b[0-9a-f]{64}\b/g, '<sha256>'));
