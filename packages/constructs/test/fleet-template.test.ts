import { existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Network, RunnerFleet, type RunnerFleetProps } from '../src/index.ts';
import { exampleInputs, exampleProps, synthesiseFleet, type Template } from './synth.test-support.ts';
import { ofType } from './templates.test-support.ts';

const group = 'actions-runner-production';
const functionNames = ['registration', 'deregistration', 'record_metric', 'runner_version'].map(
  (suffix) => `${group}_${suffix}`,
);
const alarm = (template: Template, name: string) =>
  ofType(template, 'AWS::CloudWatch::Alarm').find(({ Properties }) => Properties.AlarmName === name)?.Properties;

let example: Template;
beforeAll(() => {
  example = synthesiseFleet();
});

describe('boot_timeout in the template of a runner fleet', () => {
  it.each([
    ['default', undefined, '1800', 2100, 30],
    ['600', 600, '600', 1800, 30],
    ['3600', 3600, '3600', 3900, 60],
  ])(
    'boot_timeout %s reaches the registration function, the bootstrap hook and the alarm on stuck launches',
    (_, bootTimeout, seconds, hook, periods) => {
      const template = synthesiseFleet({ bootTimeout });
      const functions = ofType(template, 'AWS::Lambda::Function').map(({ Properties }) => Properties);
      const registration = functions.find(({ FunctionName }) => FunctionName === `${group}_registration`);
      const [fleet] = ofType(template, 'AWS::AutoScaling::AutoScalingGroup').map(({ Properties }) => Properties);

      expect(registration).toMatchObject({ Environment: { Variables: { BOOT_TIMEOUT: seconds } } });
      expect(fleet!.LifecycleHookSpecificationList).toContainEqual(
        expect.objectContaining({ LifecycleHookName: 'bootstrap', HeartbeatTimeout: hook, DefaultResult: 'ABANDON' }),
      );
      expect(alarm(template, `launch_stuck-${group}`)?.EvaluationPeriods).toBe(periods);
    },
  );
});

describe('allowed_drain_time in the template of a runner fleet', () => {
  const drainTimes = (template: Template) =>
    ofType(template, 'AWS::Lambda::Function').map(
      ({ Properties }) =>
        (Properties.Environment as { Variables: Record<string, string> }).Variables.ALLOWED_DRAIN_TIME,
    );

  it.each([
    ['900 s by default', undefined, '900', 2700],
    ['as it was given', 7200, '7200', 8100],
  ])(
    'allowed_drain_time reaches the functions and the alarm on old lifecycle actions: %s',
    (_, allowedDrainTime, written, threshold) => {
      const template = synthesiseFleet({ allowedDrainTime });

      expect(drainTimes(template)).toEqual(functionNames.map(() => written));
      expect(alarm(template, `hook_too_old-${group}`)?.Threshold).toBe(threshold);
    },
  );

  it('allowed_drain_time is by default shorter than the deregistration hook, whose timeout of 1800 s ends in CONTINUE', () => {
    const [scaling] = ofType(example, 'AWS::AutoScaling::AutoScalingGroup');

    expect(scaling?.Properties.LifecycleHookSpecificationList).toContainEqual({
      LifecycleHookName: 'deregistration',
      LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
      HeartbeatTimeout: 1800,
      DefaultResult: 'CONTINUE',
    });
  });
});

describe('the throttle alarm of each function of a runner fleet', () => {
  it.each(functionNames)('throttles-%s goes off at the first throttled invocation of a minute', (name) => {
    expect(alarm(example, `throttles-${name}`)).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Throttles',
      Dimensions: [{ Name: 'FunctionName', Value: name }],
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 0,
      TreatMissingData: 'notBreaching',
    });
  });
});

it.each(['instance', 'volume', 'network-interface'])(
  'every %s of a runner fleet is launched with the tags of the fleet, for cost allocation and policies on tags',
  (resourceType) => {
    const [template] = ofType(synthesiseFleet({ tags: { team: 'build' } }), 'AWS::EC2::LaunchTemplate');
    const data = template!.Properties.LaunchTemplateData as {
      TagSpecifications: { ResourceType: string; Tags: object[] }[];
    };
    const { Tags } = data.TagSpecifications.find((each) => each.ResourceType === resourceType) ?? {};

    expect(Tags).toContainEqual({ Key: 'Name', Value: group });
    expect(Tags).toContainEqual({ Key: 'environment', Value: 'production' });
    expect(Tags).toContainEqual({ Key: 'team', Value: 'build' });
  },
);

it.each([
  ["the account's default key", undefined],
  ['kms_key_arn', 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'],
])('the volumes of a runner fleet are encrypted with %s', (_, kmsKeyArn) => {
  const [template] = ofType(synthesiseFleet({ kmsKeyArn }), 'AWS::EC2::LaunchTemplate');
  const { BlockDeviceMappings } = template!.Properties.LaunchTemplateData as {
    BlockDeviceMappings: { Ebs: { Encrypted: boolean; KmsKeyId?: string } }[];
  };

  expect(BlockDeviceMappings.map(({ Ebs }) => [Ebs.Encrypted, Ebs.KmsKeyId])).toEqual([[true, kmsKeyArn]]);
});

it('a first deployment raises no alarm before the group exists, but for the one on the silent metric', () => {
  const onMissing = ofType(example, 'AWS::CloudWatch::Alarm').filter(
    ({ Properties }) => Properties.TreatMissingData === 'breaching',
  );

  expect(onMissing.map(({ Properties }) => Properties.AlarmName)).toEqual([`metric_silent-${group}`]);
});

it('the log key of a runner fleet can be used by CloudWatch Logs for log groups of its account only', () => {
  const [key] = ofType(example, 'AWS::KMS::Key');
  const { Statement } = key!.Properties.KeyPolicy as { Statement: { Principal: object; Condition?: object }[] };
  const ofLogs = Statement.filter(({ Principal }) => JSON.stringify(Principal).includes('logs.'));

  expect(ofLogs).toHaveLength(1);
  expect(JSON.stringify(ofLogs[0]?.Condition)).toMatch(
    /ArnLike.*kms:EncryptionContext:aws:logs:arn.*AWS::AccountId.*:\*/,
  );
});

const launchData = (template: Template) =>
  ofType(template, 'AWS::EC2::LaunchTemplate')[0]?.Properties.LaunchTemplateData as Record<string, unknown>;

it.each<[string, string, Partial<RunnerFleetProps>]>([
  ['/dev/sda1', 'Ubuntu', {}],
  ['/dev/xvda', 'Debian', { imageFamily: 'debian-12' }],
  [
    '/dev/nvme0n1',
    'an image with root_device_name',
    { amiId: 'ami-0123456789abcdef0', rootDeviceName: '/dev/nvme0n1' },
  ],
])('the volume of a runner is the root device %s of %s', (device, _, props) => {
  expect(launchData(synthesiseFleet(props))?.BlockDeviceMappings).toMatchObject([{ DeviceName: device }]);
});

it.each([
  ['idle', {}, true],
  ['jobs', {}, false],
  ['jobs', { detailedMonitoring: true }, true],
] as const)('a runner fleet in %s mode with %o has detailed monitoring: %s', (scalingMode, change, enabled) => {
  expect(launchData(synthesiseFleet({ scalingMode, ...change })).Monitoring).toEqual({ Enabled: enabled });
});

it('detailed_monitoring and cpu_credits of a runner fleet are those of its launch template', () => {
  const data = launchData(synthesiseFleet({ detailedMonitoring: false, cpuCredits: 'standard' }));

  expect(data).toMatchObject({ Monitoring: { Enabled: false }, CreditSpecification: { CpuCredits: 'standard' } });
  expect(launchData(example)).toMatchObject({ Monitoring: { Enabled: true } });
  expect(launchData(example)).not.toHaveProperty('CreditSpecification');
});

describe('the network of a runner fleet', () => {
  const caCertificates = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
  const proxied = { httpsProxy: 'http://proxy.example.com:3128', noProxy: ['github.example.com'] };
  const functionsOf = (template: Template) => ofType(template, 'AWS::Lambda::Function').map((one) => one.Properties);

  it('permissions_boundary_arn is on every role of the stack', () => {
    const permissionsBoundaryArn = 'arn:aws:iam::123456789012:policy/boundary';
    const roles = ofType(synthesiseFleet({ permissionsBoundaryArn }), 'AWS::IAM::Role');

    expect(roles.length).toBeGreaterThan(3);
    for (const { Properties } of roles) expect(Properties.PermissionsBoundary).toBe(permissionsBoundaryArn);
  });

  it('extra_security_group_ids are on the runners and on the functions, beside their own', () => {
    const template = synthesiseFleet({ extraSecurityGroupIds: ['sg-1'] });
    const groups = functionsOf(template).map(
      ({ VpcConfig }) => (VpcConfig as { SecurityGroupIds: unknown[] }).SecurityGroupIds,
    );

    for (const ids of [launchData(template).SecurityGroupIds, ...groups])
      expect(ids).toEqual([expect.anything(), 'sg-1']);
  });

  it('own_log_key: false leaves a fleet without a KMS key, its log groups and topic keep their names', () => {
    const [own, none] = [example, synthesiseFleet({ ownLogKey: false })];
    const names = (template: Template) =>
      ['AWS::Logs::LogGroup', 'AWS::SNS::Topic'].flatMap((type) =>
        Object.entries(template.Resources)
          .filter(([, { Type }]) => Type === type)
          .map(([id, { Properties }]) => [id, Properties.LogGroupName]),
      );

    expect(ofType(none, 'AWS::KMS::Key')).toEqual([]);
    expect(JSON.stringify(none)).not.toContain('LogKey');
    expect(names(none)).toEqual(names(own));
  });

  it.each([
    ['at most 100 instances', { asgMaxSize: 100 }, 128],
    ['more instances', { asgMaxSize: 101 }, 256],
    ['types', { asgMaxSize: 10, types: { large: {} } }, 256],
  ])('the window of the demand has, with %s (%o), %i MB of memory, and the other functions 256', (_, inputs, most) => {
    const template = synthesiseFleet({ scalingMode: 'jobs', ...inputs });

    expect(
      Object.fromEntries(functionsOf(template).map((one) => [String(one.FunctionName).split('_')[1], one.MemorySize])),
    ).toEqual({ registration: 256, deregistration: 256, record: 256, runner: 256, demand: most });
  });

  it.each([
    ['without subnets of their own', {}, 0],
    ['with an empty list of them', { lambdaSubnetIds: [] }, 0],
    ['with subnets of their own', { lambdaSubnetIds: ['subnet-8', 'subnet-9'] }, 2],
    ['in private runner subnets', { runnerSubnetsPrivate: true }, 3],
  ])('the functions of a fleet %s (%o) are in %i subnets of a VPC', (_, inputs, count) => {
    const template = synthesiseFleet({ lambdaSubnetIds: undefined, ...inputs });
    const inVpc = count > 0;

    for (const { VpcConfig } of functionsOf(template)) {
      const { SubnetIds, SecurityGroupIds } = VpcConfig as Record<'SubnetIds' | 'SecurityGroupIds', unknown[]>;
      expect([SubnetIds.length, SecurityGroupIds.length]).toEqual([count, inVpc ? 1 : 0]);
    }
    // The interfaces of a function that has left a VPC are deleted minutes later, with its role.
    const policies = JSON.stringify(ofType(template, 'AWS::IAM::Policy'));
    expect(policies.includes('ec2:CreateNetworkInterface')).toBe(inVpc);
    expect(policies).toContain('ec2:DeleteNetworkInterface');
    expect(ofType(template, 'AWS::EC2::SecurityGroup')).toHaveLength(2);
  });

  it('functions know the proxy and may connect to it', () => {
    const template = synthesiseFleet(proxied);
    const egress = JSON.stringify(ofType(template, 'AWS::EC2::SecurityGroup').map((one) => one.Properties));

    for (const { Environment } of functionsOf(template))
      expect((Environment as { Variables: object }).Variables).toMatchObject({
        NODE_USE_ENV_PROXY: '1',
        https_proxy: proxied.httpsProxy,
        HTTPS_PROXY: proxied.httpsProxy,
        no_proxy: 'localhost,127.0.0.1,169.254.169.254,fd00:ec2::254,github.example.com',
      });
    expect(egress).toContain('"ToPort":3128');
    expect(JSON.stringify(functionsOf(example))).not.toMatch(/proxy/i);
  });

  it('functions have the private certificates beside their code, readable for Lambda under any umask', () => {
    const outdir = mkdtempSync(join(tmpdir(), 'drover-ca-'));
    const app = new App({ outdir });
    const umask = process.umask(0o077);
    new RunnerFleet(new Stack(app, 'stack'), 'Fleet', { ...exampleProps(), caCertificates });
    app.synth();
    process.umask(umask);
    const code = readdirSync(outdir).filter((name) => existsSync(join(outdir, name, 'ca-certificates.pem')));

    expect(code).toHaveLength(4);
    for (const file of code.flatMap((name) => [
      join(outdir, name, 'index.js'),
      join(outdir, name, 'ca-certificates.pem'),
    ]))
      expect(statSync(file).mode & 0o777).toBe(0o644);
    for (const { Environment } of functionsOf(synthesiseFleet({ caCertificates })))
      expect(Environment).toMatchObject({ Variables: { NODE_EXTRA_CA_CERTS: '/var/task/ca-certificates.pem' } });
  });
});

describe('on_demand_base_capacity and the warm pool of a runner fleet', () => {
  const wanted: Partial<RunnerFleetProps> = { warmPoolMinSize: 2, warmPoolMaxSize: 6 };
  const hibernation = (template: Template) => launchData(template).HibernationOptions;

  it('on_demand_base_capacity: 0 turns the warm pool off and lets every instance be a spot instance', () => {
    const template = synthesiseFleet({ ...wanted, onDemandBaseCapacity: 0 });
    const [scaling] = ofType(template, 'AWS::AutoScaling::AutoScalingGroup');

    expect(ofType(template, 'AWS::AutoScaling::WarmPool')).toEqual([]);
    expect(hibernation(template)).toBeUndefined();
    expect(alarm(template, `warm_pool_empty-${group}`)).toBeUndefined();
    expect(scaling?.Properties.MixedInstancesPolicy).toMatchObject({
      InstancesDistribution: { OnDemandBaseCapacity: 0, OnDemandPercentageAboveBaseCapacity: 0 },
    });
  });

  it('on_demand_base_capacity: null keeps the warm pool and takes no spot instance', () => {
    const template = synthesiseFleet({ ...wanted, onDemandBaseCapacity: null });
    const [scaling] = ofType(template, 'AWS::AutoScaling::AutoScalingGroup');

    expect(ofType(template, 'AWS::AutoScaling::WarmPool').map(({ Properties: pool }) => pool)).toMatchObject([
      { MinSize: 2, MaxGroupPreparedCapacity: 6, PoolState: 'Hibernated' },
    ]);
    expect(hibernation(template)).toEqual({ Configured: true });
    expect(alarm(template, `warm_pool_empty-${group}`)?.Threshold).toBe(1);
    expect(scaling?.Properties.MixedInstancesPolicy).toBeUndefined();
  });

  it('several instance_types without spot are taken on demand in their order, and there is no warm pool', () => {
    const template = synthesiseFleet({ ...wanted, instanceTypes: ['m6i.large', 'm5.large'] });
    const [scaling] = ofType(template, 'AWS::AutoScaling::AutoScalingGroup');

    expect(ofType(template, 'AWS::AutoScaling::WarmPool')).toEqual([]);
    expect(scaling?.Properties.MixedInstancesPolicy).toMatchObject({
      InstancesDistribution: { OnDemandAllocationStrategy: 'prioritized', OnDemandPercentageAboveBaseCapacity: 100 },
      LaunchTemplate: { Overrides: [{ InstanceType: 'm6i.large' }, { InstanceType: 'm5.large' }] },
    });
  });

  it('instance_requirements stand for instance types in the group, with the order of prices on demand; the launch template has a type for bakes', () => {
    const instanceRequirements = {
      vcpuCount: { min: 2, max: 4 },
      memoryMib: { min: 4096 },
      excludedInstanceTypes: ['t*', 'm5*'],
      onDemandMaxPricePercentageOverLowestPrice: 40,
    };
    const template = synthesiseFleet({ ...wanted, instanceRequirements, architecture: 'arm64' });
    const [scaling] = ofType(template, 'AWS::AutoScaling::AutoScalingGroup');
    const [launch] = ofType(template, 'AWS::EC2::LaunchTemplate');

    expect(ofType(template, 'AWS::AutoScaling::WarmPool')).toEqual([]);
    expect(scaling?.Properties.MixedInstancesPolicy).toMatchObject({
      InstancesDistribution: { OnDemandAllocationStrategy: 'lowest-price', OnDemandPercentageAboveBaseCapacity: 100 },
      LaunchTemplate: {
        Overrides: [
          {
            InstanceRequirements: {
              VCpuCount: { Min: 2, Max: 4 },
              MemoryMiB: { Min: 4096 },
              ExcludedInstanceTypes: ['t*', 'm5*'],
              OnDemandMaxPricePercentageOverLowestPrice: 40,
            },
          },
        ],
      },
    });
    expect(launch?.Properties.LaunchTemplateData).toMatchObject({ InstanceType: 't4g.medium' });
  });

  it('on_demand_percentage_above_base is passed on to the group', () => {
    const template = synthesiseFleet({ onDemandBaseCapacity: 1, onDemandPercentageAboveBase: 25 });
    const [scaling] = ofType(template, 'AWS::AutoScaling::AutoScalingGroup');

    expect(scaling?.Properties).toMatchObject({
      MixedInstancesPolicy: {
        InstancesDistribution: { OnDemandBaseCapacity: 1, OnDemandPercentageAboveBaseCapacity: 25 },
      },
    });
  });

  it('the group of a runner fleet is configured to end no instance for its age, its template or a recommendation of EC2', () => {
    for (const scalingMode of ['idle', 'jobs'] as const) {
      const inputs = { onDemandBaseCapacity: 1, capacityRebalance: true, maxInstanceLifetimeDays: 7, scalingMode };
      const template = synthesiseFleet(inputs);
      const [scaling] = ofType(template, 'AWS::AutoScaling::AutoScalingGroup');
      const functions = ofType(template, 'AWS::Lambda::Function');
      const told = functions.filter(({ Properties }) => String(Properties.FunctionName).endsWith('_runner_version'));

      expect(scaling?.Properties).toMatchObject({ MaxInstanceLifetime: 0, CapacityRebalance: false });
      expect(scaling).not.toHaveProperty('UpdatePolicy');
      expect(told).toMatchObject([
        { Properties: { Environment: { Variables: { MAX_INSTANCE_LIFETIME_DAYS: '7', CAPACITY_REBALANCE: 'true' } } } },
      ]);
    }
  });

  const warnings = (props: RunnerFleetProps, text = 'warm pool is off') => {
    const stack = new Stack(new App(), 'stack');
    new RunnerFleet(stack, 'Fleet', props);
    return Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp(text));
  };

  it('synthesis says when allowed_drain_time ends a job', () => {
    const stack = new Stack(new App(), 'stack');
    new RunnerFleet(stack, 'Fleet', { ...exampleProps(), allowedDrainTime: 1200 });
    const told = Annotations.fromStack(stack).findInfo('*', Match.stringLikeRegexp('1200 s \\(allowed_drain_time\\)'));
    expect(told).toHaveLength(1);
  });

  it('synthesis of a fleet says which single losses it survives', () => {
    const stack = new Stack(new App(), 'stack');
    new RunnerFleet(stack, 'Fleet', {
      ...exampleProps(),
      network: Network.fromIds({ ...exampleProps().network, subnetIds: ['subnet-0a1b2c3d4e5f60711'] }),
      lambdaSubnetIds: ['subnet-2', 'subnet-3'],
    });
    const [told] = Annotations.fromStack(stack).findInfo('*', Match.stringLikeRegexp('^survives the loss of'));
    expect(told?.entry.data).toBe(
      'survives the loss of any one machine, or any run of a function; all its runners are in one zone (if each subnet is in a zone of its own)',
    );
  });

  it("docker and passwordless_sudo give a warning that jobs can act with the instance's role, and a tag that says so", () => {
    const privilegesOf = (props: Partial<RunnerFleetProps>) => {
      const [scaling] = ofType(synthesiseFleet({ ...exampleProps(), ...props }), 'AWS::AutoScaling::AutoScalingGroup');
      const tags = scaling?.Properties.Tags as { Key: string; Value: string }[];
      return tags.find(({ Key }) => Key === 'drover:job-privileges')?.Value;
    };
    const both = { docker: true, passwordlessSudo: true };

    const [warning] = warnings({ ...exampleProps(), ...both }, "act with the instance's role");

    expect(warning?.entry.data).toMatch(/^docker and passwordlessSudo let every job become root/);
    expect(privilegesOf(both)).toBe('docker passwordless_sudo');
    expect(warnings({ ...exampleProps(), docker: true }, 'docker lets every job')).toHaveLength(1);
    expect(warnings(exampleProps(), "instance's role")).toEqual([]);
    expect(privilegesOf({})).toBeUndefined();
  });

  it('synthesis warns that labels of a fleet in jobs mode must belong to no other fleet', () => {
    const labelled = { ...exampleProps(), extraLabels: ['gpu'] };

    expect(warnings({ ...labelled, scalingMode: 'jobs' }, 'which fleet gets a job is undefined')).toHaveLength(1);
    expect(warnings(labelled, 'which fleet gets a job is undefined')).toEqual([]);
  });

  it('synthesis warns that adaptive_windows is experimental', () => {
    const jobs = { ...exampleProps(), scalingMode: 'jobs' } as const;

    expect(warnings({ ...jobs, adaptiveWindows: true }, 'adaptiveWindows is experimental')).toHaveLength(1);
    expect(warnings(jobs, 'experimental')).toEqual([]);
  });

  const unset = (props: Partial<RunnerFleetProps> = {}) => ({
    ...exampleProps(),
    warmPoolMaxSize: undefined,
    ...props,
  });

  it('on_demand_base_capacity: 0 gives a warning about the warm pool, unless warm_pool_max_size is 0', () => {
    expect(warnings(unset({ onDemandBaseCapacity: 0 }))).toHaveLength(1);
    expect(warnings(unset({ onDemandBaseCapacity: 0, warmPoolMaxSize: 0 }))).toHaveLength(0);
    expect(warnings(unset({ onDemandBaseCapacity: null, imageFamily: 'ubuntu-22.04' }))).toHaveLength(0);
  });

  const poolOf = (props: Partial<RunnerFleetProps>) =>
    ofType(synthesiseFleet({ warmPoolMaxSize: undefined, ...props }), 'AWS::AutoScaling::WarmPool').length;

  it.each<[string, Partial<RunnerFleetProps>]>([
    ['Ubuntu 24.04, the default', {}],
    ['Ubuntu 24.04 on arm64', { architecture: 'arm64' }],
    ['Debian 12', { imageFamily: 'debian-12' }],
    ['an instance type whose family is not listed', { imageFamily: 'ubuntu-22.04', instanceType: 'm6in2.large' }],
    ['a bare metal instance type', { imageFamily: 'ubuntu-22.04', instanceType: 'm6i.metal' }],
  ])('a fleet has no warm pool and a warning where AWS does not list %s for hibernation', (_, props) => {
    expect(poolOf(props)).toBe(0);
    expect(warnings(unset(props), 'AWS does not list .* so the warm pool is off')).toHaveLength(1);
  });

  it('a fleet has a warm pool by default where AWS lists image and instance type for hibernation', () => {
    for (const architecture of ['x86_64', 'arm64'] as const)
      expect(poolOf({ imageFamily: 'ubuntu-22.04', architecture })).toBe(1);
    expect(warnings(unset({ imageFamily: 'ubuntu-22.04' }), 'AWS does not list')).toHaveLength(0);
  });

  it('warm_pool_max_size turns the warm pool on for any image, with a warning, and 0 gives none', () => {
    expect(poolOf({ warmPoolMaxSize: 12 })).toBe(1);
    expect(poolOf({ warmPoolMinSize: 2 })).toBe(1);
    expect(warnings(unset({ warmPoolMaxSize: 12 }), 'may keep running')).toHaveLength(1);
    expect(warnings(unset({ warmPoolMaxSize: 0 }), 'AWS does not list')).toHaveLength(0);
  });

  it('the warning names the inputs as the user wrote them: keys of the file, or props', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'drover-fleet-')), 'fleet.yaml');
    const { warm_pool_max_size: _, ...inputs } = exampleInputs();
    writeFileSync(file, stringify({ ...inputs, on_demand_base_capacity: 0 }));
    const fromFile = RunnerFleet.readConfiguration(file);

    expect(warnings(fromFile)[0]?.entry.data).toMatch(/^on_demand_base_capacity is set.*warm_pool_max_size to 0/);
    expect(warnings({ ...fromFile })[0]?.entry.data).toMatch(/^onDemandBaseCapacity is set.*warmPoolMaxSize to 0/);
  });
});

describe('the template of a runner fleet in jobs mode', () => {
  let template: Template;
  const inputs = {
    scalingMode: 'jobs',
    asgMinSize: 0,
    asgMaxSize: 100,
    idleRunnersTargetCount: 0,
    extraLabels: ['large'],
  } as const;
  beforeAll(() => {
    template = synthesiseFleet(inputs);
  });
  const demand = () =>
    Object.values(ofType(template, 'AWS::Lambda::Function')).find(
      ({ Properties }) => Properties.FunctionName === `${group}_demand`,
    )!.Properties;

  it('jobs mode has the function demand, whose windows of 50 s end before its timeout of 65 s, and idle mode has not', () => {
    expect(demand()).toMatchObject({
      Timeout: 65,
      Environment: {
        Variables: {
          SCALING_MODE: 'jobs',
          DEMAND_WINDOW_SECONDS: '50',
          SCALE_SET_LABELS: JSON.stringify([group, 'large']),
        },
      },
    });
    expect(alarm(template, `duration-${group}_demand`)?.Threshold).toBe(61_750);
    expect(ofType(example, 'AWS::Lambda::Function').map(({ Properties }) => Properties.FunctionName)).toEqual(
      expect.not.arrayContaining([`${group}_demand`]),
    );
  });

  it('jobs mode has no scaling policy, and the alarm on few idle runners without an action', () => {
    expect(ofType(template, 'AWS::AutoScaling::ScalingPolicy')).toEqual([]);
    expect(alarm(template, `idle_runners_low-${group}`)).toMatchObject({
      MetricName: 'IdleRunnersCount',
      Threshold: 0,
    });
    expect(alarm(template, `idle_runners_low-${group}`)?.AlarmActions).toBeUndefined();
    expect(alarm(template, `idle_runners_high-${group}`)).toBeUndefined();
  });

  it('adaptive_windows reaches the function demand alone, and jobs mode alone has it', () => {
    const environments = (props: Partial<RunnerFleetProps>) =>
      ofType(synthesiseFleet({ ...inputs, ...props }), 'AWS::Lambda::Function')
        .filter(({ Properties }) => JSON.stringify(Properties.Environment).includes('"ADAPTIVE_WINDOWS":"true"'))
        .map(({ Properties }) => Properties.FunctionName);

    expect(environments({ adaptiveWindows: true })).toEqual([`${group}_demand`]);
    expect(environments({ adaptiveWindows: false })).toEqual([]);
    expect(() => synthesiseFleet({ adaptiveWindows: true })).toThrow(/there are no windows.*scalingMode: jobs/s);
  });

  it('in jobs mode the alarm on a group at its maximum reads one metric, and the one on old demand stands for the silent metric', () => {
    expect(alarm(template, `group_at_maximum-${group}`)).toMatchObject({
      MetricName: 'GroupDesiredCapacity',
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 100,
      EvaluationPeriods: 15,
    });
    expect(alarm(template, `metric_silent-${group}`)).toBeUndefined();
    expect(ofType(template, 'AWS::CloudWatch::Alarm').flatMap(({ Properties }) => Properties.Metrics ?? [])).toEqual(
      [],
    );
  });

  it('jobs mode has a dead-man alarm on the age of the demand and protects instances from scale-in from their launch on', () => {
    expect(alarm(template, `demand_signal_old-${group}`)).toMatchObject({
      MetricName: 'DemandSignalAgeSeconds',
      Threshold: 240,
      Period: 60,
      EvaluationPeriods: 4,
      TreatMissingData: 'breaching',
    });
    const [scaling] = ofType(template, 'AWS::AutoScaling::AutoScalingGroup');
    expect(scaling!.Properties.NewInstancesProtectedFromScaleIn).toBe(true);
  });

  it('idle mode says that new instances are not protected: an update from jobs mode that left it out would keep the protection', () => {
    const [scaling] = ofType(example, 'AWS::AutoScaling::AutoScalingGroup');
    expect(scaling!.Properties.NewInstancesProtectedFromScaleIn).toBe(false);
  });
});
