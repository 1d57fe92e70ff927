import { join } from 'node:path';
import { moduleVersion } from '@drover/core/names/version';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Schedule } from 'aws-cdk-lib/aws-autoscaling';
import { Alarm, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Port, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { beforeAll, describe, it } from 'vitest';
import { KibanaCredentials, Network, RunnerFleet, SearchCluster, SearchUi, Zone } from '../src/index.ts';

const examples = join(import.meta.dirname, '../../../examples');
const newStack = () => new Stack(new App(), 'stack');
/** A client of the construct, in the same VPC. */
const client = (stack: Stack) =>
  new SecurityGroup(stack, 'Client', {
    vpc: Vpc.fromVpcAttributes(stack, 'Vpc', { vpcId: 'vpc-0a1b2c3d4e5f60718', availabilityZones: ['a'] }),
    allowAllOutbound: false,
  });
const newRole = (stack: Stack, id: string) =>
  new Role(stack, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
/** An alarm of the user's own on each metric. */
const watch = (stack: Stack, metrics: readonly Metric[]) =>
  metrics.forEach((metric, index) => {
    new Alarm(stack, `Watch${index}`, { metric, threshold: 1, evaluationPeriods: 1 });
  });
const extraPolicy = new PolicyStatement({ actions: ['s3:ListAllMyBuckets'], resources: ['*'] });

const attribute = (logicalId: string, name: string) => ({ 'Fn::GetAtt': [Match.stringLikeRegexp(logicalId), name] });
const reference = (logicalId: string) => ({ Ref: Match.stringLikeRegexp(logicalId) });

/** Expects that members of one security group may connect to those of another. */
const hasIngress = (template: Template, to: string, port: number) =>
  template.hasResourceProperties('AWS::EC2::SecurityGroupIngress', {
    GroupId: attribute(to, 'GroupId'),
    SourceSecurityGroupId: attribute('^Client', 'GroupId'),
    FromPort: port,
    ToPort: port,
  });

/** Expects that a role may do this to that. */
const mayDo = (template: Template, role: string, actions: unknown, resource: unknown) =>
  template.hasResourceProperties('AWS::IAM::Policy', {
    Roles: [reference(role)],
    PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: actions, Resource: resource })]) },
  });

describe('a RunnerFleet in the stack of its user', () => {
  let template: Template;
  beforeAll(() => {
    const stack = newStack();
    const props = RunnerFleet.readConfiguration(join(examples, 'runner-fleet/fleet.yaml'));
    const fleet = new RunnerFleet(stack, 'Ci', props);
    fleet.connections.allowFrom(client(stack), Port.tcp(9100), 'metrics of the runners');
    new Bucket(stack, 'Cache').grantRead(fleet);
    fleet.role.addToPrincipalPolicy(extraPolicy);
    fleet.functions.deregistration.grantInvoke(newRole(stack, 'Operator'));
    fleet.autoScalingGroup.scaleOnSchedule('Night', { schedule: Schedule.cron({ hour: '22' }), minCapacity: 0 });
    fleet.alarmTopic.addSubscription(new EmailSubscription('ops@example.com'));
    watch(stack, [
      fleet.metricIdleRunners({ period: Duration.minutes(5) }),
      fleet.metricBusyRunners(),
      fleet.metricOfflineRunners(),
      fleet.metricMissingRunners(),
      fleet.metricHookAge(),
      fleet.metricRateLimitRemaining(),
      fleet.metric('RegistrationFailures', { dimensionsMap: { Reason: 'credentials' } }),
    ]);
    template = Template.fromStack(stack);
  });

  it('RunnerFleet.connections allows connections to its runners', () => {
    hasIngress(template, '^CiFleetNetwork', 9100);
  });

  it('RunnerFleet takes grants and policy statements for the role of its instances', () => {
    mayDo(template, '^CiFleetRole', Match.arrayWith(['s3:GetObject*']), Match.arrayWith([attribute('^Cache', 'Arn')]));
    mayDo(template, '^CiFleetRole', 's3:ListAllMyBuckets', '*');
  });

  it('RunnerFleet has functions, autoScalingGroup and alarmTopic', () => {
    mayDo(
      template,
      '^Operator',
      'lambda:InvokeFunction',
      Match.arrayWith([attribute('^CiFunctionsderegistration', 'Arn')]),
    );
    template.hasResourceProperties('AWS::AutoScaling::ScheduledAction', {
      AutoScalingGroupName: reference('^CiFleetGroup'),
      MinSize: 0,
    });
    template.hasResourceProperties('AWS::SNS::Subscription', {
      TopicArn: reference('^CiAlarmsTopic'),
      Endpoint: 'ops@example.com',
    });
  });

  it.each([
    ['metricIdleRunners', 'IdleRunnersCount', 300],
    ['metricBusyRunners', 'BusyRunnersCount', 60],
    ['metricOfflineRunners', 'RunnersOffline', 60],
    ['metricMissingRunners', 'RunnersMissing', 60],
    ['metricHookAge', 'HookAgeSeconds', 60],
    ['metricRateLimitRemaining', 'PlatformRateLimitRemaining', 60],
  ])('RunnerFleet.%s is the metric %s with a period of %i s', (_, MetricName, Period) => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'Drover/ActionsRunner',
      MetricName,
      Dimensions: [{ Name: 'AutoScalingGroupName', Value: 'actions-runner-production' }],
      Period,
      Statistic: 'Average',
      AlarmName: Match.absent(),
    });
  });

  it('RunnerFleet.metric returns any metric of the fleet by name, with further dimensions', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'RegistrationFailures',
      Dimensions: [
        { Name: 'AutoScalingGroupName', Value: 'actions-runner-production' },
        { Name: 'Reason', Value: 'credentials' },
      ],
      AlarmName: Match.absent(),
    });
  });
});

describe('a SearchCluster in the stack of its user', () => {
  let template: Template;
  beforeAll(() => {
    const stack = newStack();
    const props = SearchCluster.readConfiguration(join(examples, 'search-cluster/cluster.yaml'));
    const cluster = new SearchCluster(stack, 'Cluster', props);
    const group = client(stack);
    cluster.connections.allowDefaultPortFrom(group);
    cluster.nodeConnections.allowFrom(group, Port.tcp(9114));
    cluster.grantReadElasticPassword(newRole(stack, 'Elastic'));
    cluster.grantReadKibanaSystemPassword(newRole(stack, 'Kibana'));
    cluster.grantReadCaCertificate(newRole(stack, 'Certificate'));
    cluster.grantReadSnapshots(newRole(stack, 'Restore'));
    for (const role of [cluster.masterRole, cluster.dataRole]) role.addToPrincipalPolicy(extraPolicy);
    const schedule = Schedule.cron({ hour: '22' });
    for (const each of [cluster.masterGroup, cluster.dataGroup])
      each.scaleOnSchedule('Night', { schedule, desiredCapacity: 3 });
    cluster.alarmTopic.addSubscription(new EmailSubscription('ops@example.com'));
    watch(stack, [
      cluster.metricNotGreen(),
      cluster.metricSnapshotAge(),
      cluster.metricDiskUsed({ period: Duration.minutes(15) }),
      cluster.metricDrainTime(),
      cluster.metricRetainedInstances(),
      cluster.metricCertificateDaysLeft(),
      cluster.metricUnhealthyHosts('data'),
    ]);
    template = Template.fromStack(stack);
  });

  it('SearchCluster.connections allows connections to the load balancers on 443, nodeConnections to the nodes', () => {
    hasIngress(template, '^ClusterNetworkBalancers', 443);
    hasIngress(template, '^ClusterNetworkNodes', 9114);
  });

  it.each([
    ['grantReadElasticPassword', '^Elastic', '^ClusterSecretsElastic'],
    ['grantReadKibanaSystemPassword', '^Kibana', '^ClusterSecretsKibanaSystem'],
    ['grantReadCaCertificate', '^Certificate', '^ClusterSecretsCaCertificate'],
  ])('SearchCluster.%s grants read access to that secret and no other', (_, role, secret) => {
    template.hasResourceProperties('AWS::IAM::Policy', {
      Roles: [reference(role)],
      PolicyDocument: {
        Statement: [
          {
            Effect: 'Allow',
            Action: ['secretsmanager:GetSecretValue', 'secretsmanager:DescribeSecret'],
            Resource: reference(secret),
          },
        ],
      },
    });
  });

  it('SearchCluster.grantReadSnapshots grants read access to the snapshots only', () => {
    mayDo(
      template,
      '^Restore',
      ['s3:GetObject*', 's3:GetBucket*', 's3:List*'],
      Match.arrayWith([attribute('^ClusterBucketsSnapshots', 'Arn')]),
    );
  });

  it('SearchCluster has the roles and Auto Scaling groups of both kinds of nodes, and alarmTopic', () => {
    for (const nodes of ['^ClusterMasters', '^ClusterDataNodes']) {
      mayDo(template, `${nodes}Role`, 's3:ListAllMyBuckets', '*');
      template.hasResourceProperties('AWS::AutoScaling::ScheduledAction', {
        AutoScalingGroupName: reference(`${nodes}Group`),
      });
    }
    template.hasResourceProperties('AWS::SNS::Subscription', { TopicArn: reference('^ClusterAlarmsTopic') });
  });

  it.each([
    ['metricNotGreen', 'ClusterNotGreen', 300, 'Maximum'],
    ['metricSnapshotAge', 'SnapshotAgeSeconds', 300, 'Maximum'],
    ['metricDiskUsed', 'DiskUsedPercentMax', 900, 'Maximum'],
    ['metricDrainTime', 'DrainSeconds', 300, 'Maximum'],
    ['metricRetainedInstances', 'RetainedInstances', 300, 'Maximum'],
    ['metricCertificateDaysLeft', 'CertificateDaysLeft', 3600, 'Minimum'],
  ])(
    'SearchCluster.%s is the metric %s with a period of %i s and the statistic %s',
    (_, MetricName, Period, Statistic) => {
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        MetricName,
        Dimensions: [{ Name: 'ClusterName', Value: 'logs' }],
        Period,
        Statistic,
        AlarmName: Match.absent(),
      });
    },
  );

  it('SearchCluster.metricUnhealthyHosts is a metric of the load balancer of the kind of nodes', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'UnHealthyHostCount',
      Dimensions: Match.arrayWith([
        { Name: 'TargetGroup', Value: attribute('^ClusterAddressesDataTargets', 'TargetGroupFullName') },
      ]),
      AlarmName: Match.absent(),
    });
  });
});

describe('a SearchUi in the stack of its user', () => {
  let template: Template;
  beforeAll(() => {
    const stack = newStack();
    const ui = new SearchUi(stack, 'Ui', {
      version: moduleVersion,
      environment: 'production',
      elasticsearchUrl: 'https://logs-master.search.example.com',
      elasticsearchVersion: '8.19.21',
      credentials: KibanaCredentials.fromSecretIds(
        'arn:aws:secretsmanager:eu-west-1:123456789012:secret:kibana-AbCdEf',
      ),
      zone: Zone.fromIds('Z0123456789ABCDEFGHIJ', 'search.example.com'),
      network: Network.fromIds({
        vpcId: 'vpc-0a1b2c3d4e5f60718',
        subnetIds: ['subnet-0a1b2c3d4e5f60711', 'subnet-0a1b2c3d4e5f60712'],
      }),
      vpcCidrBlock: '10.0.0.0/16',
    });
    ui.connections.allowDefaultPortFrom(client(stack));
    ui.executionRole.addToPrincipalPolicy(extraPolicy);
    ui.alarmTopic.addSubscription(new EmailSubscription('ops@example.com'));
    watch(stack, [ui.metricUnhealthyHosts({ period: Duration.minutes(1) })]);
    template = Template.fromStack(stack);
  });

  it('SearchUi.connections allows connections to the load balancer on 443', () => {
    hasIngress(template, '^UiNetworkBalancer', 443);
  });

  it('SearchUi has executionRole, alarmTopic and metricUnhealthyHosts', () => {
    mayDo(template, '^UiKibanaExecutionRole', 's3:ListAllMyBuckets', '*');
    template.hasResourceProperties('AWS::SNS::Subscription', { TopicArn: reference('^UiAlarmsTopic') });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'UnHealthyHostCount',
      Period: 60,
      AlarmName: Match.absent(),
    });
  });
});
