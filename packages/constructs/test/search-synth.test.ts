import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { moduleVersion } from '@drover/core/names/version';
import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  Network,
  SearchCluster,
  type SearchClusterProps,
  searchClusterOutputs,
  stackOutputName,
} from '../src/index.ts';
import {
  applyTemplateRules,
  exampleContext,
  type Resource,
  readTemplate,
  synthesise,
  type Template,
} from './synth.test-support.ts';
import {
  actionsOf,
  ingressOf,
  ofType,
  resourcesOf,
  type Statement,
  statementsOf,
  text,
} from './templates.test-support.ts';

applyTemplateRules();

const example = join(import.meta.dirname, '../../../examples/search-cluster');
const exampleProps = (): SearchClusterProps => SearchCluster.readConfiguration(join(example, 'cluster.yaml'));
const synthesiseCluster = (changes: Partial<SearchClusterProps> = {}) =>
  synthesise((stack) => new SearchCluster(stack, 'SearchCluster', { ...exampleProps(), ...changes }));
const everything: Partial<SearchClusterProps> = {
  masterCount: 5,
  dataCount: 8,
  loadBalancerScheme: 'internet-facing',
  loadBalancerSubnetIds: ['subnet-0a1b2c3d4e5f60714', 'subnet-0a1b2c3d4e5f60715'],
  allowedCidrBlocks: ['0.0.0.0/0'],
  monitoringCidrBlock: '10.9.0.0/16',
  architecture: 'arm64',
  amiId: 'ami-0123456789abcdef0',
  instanceTypeMaster: 'm7g.large',
  instanceTypeData: 'r7g.xlarge',
  masterVolumeSize: 50,
  memoryLock: true,
  snapshotBucketPrefix: 'example-logs',
  snapshotForceDestroy: true,
  separateDataVolume: true,
  dataVolumeIops: 6000,
  elasticsearchSettings: { 'action.auto_create_index': false },
  elasticsearchPlugins: ['analysis-icu'],
  keystoreSecrets: { 'azure.client.default.key': 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:azure' },
  snapshotPolicies: {},
  packageMirror: 'https://mirror.example.com',
  namesWithEnvironment: true,
  exporterUser: 'exporter',
  kibanaAuth: 'service_token',
  maxInstanceLifetimeDays: 30,
  packages: ['search-data'],
  puppetHieraConfigPath: '/opt/search-data/hiera.yaml',
  extraFiles: { '/etc/motd': 'hello' },
  extraPolicies: ['arn:aws:iam::123456789012:policy/search'],
  alarmTopicArns: ['arn:aws:sns:eu-west-1:123456789012:pager'],
  tags: { team: 'search', cluster: 'other' },
};

let cluster: Template;
beforeAll(() => {
  cluster = synthesiseCluster();
}, 120_000);

describe('a synthesised search cluster', () => {
  it('the template has no findings of the template rules and cdk-nag, with every input too', () => {
    const full = synthesiseCluster(everything);

    expect(Object.keys(cluster.Resources).length).toBeGreaterThan(40);
    expect(ofType(full, 'Custom::S3AutoDeleteObjects')).toHaveLength(1);
    expect(text(full.Outputs.KibanaTokenSecretId)).toContain('SearchClusterSecretsKibanaToken');
    const named = ['AutoScalingGroupName', 'FunctionName', 'AlarmName'].map((key) =>
      Object.values(full.Resources)
        .map(({ Properties }) => Properties?.[key])
        .filter((name) => typeof name === 'string'),
    );
    expect(named[0]).toEqual(['logs-production', 'logs-production-data']);
    // A permission refers to its function; only names are texts.
    for (const name of named.flat().filter((each) => typeof each === 'string'))
      expect(name).toContain('logs-production');
    expect(named[2]).not.toContain('snapshot_too_old-logs-production');
    expect(text(full.Outputs.ClusterUrl)).toContain('https://logs.search.example.com');
    expect(text(statementsOf(full, 'SearchClusterMastersRole'))).toContain(':secret:azure');
  }, 120_000);

  it('the outputs of a search cluster are those of the table, in its order', () => {
    const { Outputs } = cluster;

    const always = Object.keys(searchClusterOutputs).filter((name) => name !== 'kibana_token_secret_id');
    expect(Object.keys(Outputs)).toEqual(always.map(stackOutputName));
    expect(Outputs.ClusterUrl?.Value).toBe('https://logs.search.example.com');
    expect(Outputs.ClusterMasterUrl?.Value).toBe('https://logs-master.search.example.com');
    expect(Outputs.ClusterDataUrl?.Value).toBe('https://logs-data.search.example.com');
    expect(Outputs.ModuleVersion?.Value).toBe(moduleVersion);
    expect(text(Outputs.ElasticSecretId)).toContain('SearchClusterSecretsElastic');
    expect(text(Outputs.KibanaSystemSecretId)).toContain('SearchClusterSecretsKibanaSystem');
    expect(text(Outputs.SnapshotsBucket)).toContain('SearchClusterBucketsSnapshots');
  });

  it('kibanaSystemPassword is a secret value that is resolved where it is used', () => {
    let resolved = '';
    const template = synthesise((stack) => {
      const made = new SearchCluster(stack, 'SearchCluster', exampleProps());
      resolved = text(stack.resolve(made.kibanaSystemPassword));
    });

    expect(resolved).toMatch(/resolve:secretsmanager:.*SearchClusterSecretsKibanaSystem/);
    expect(text(template)).not.toContain('resolve:secretsmanager');
  }, 120_000);

  it('synthesis of a search cluster says which single losses it survives, and what the loss of a zone needs', () => {
    const stack = new Stack(new App(), 'stack');
    const network = Network.fromIds({
      ...exampleProps().network,
      subnetIds: ['subnet-0a1b2c3d4e5f60711', 'subnet-0a1b2c3d4e5f60712'],
    });
    new SearchCluster(stack, 'SearchCluster', { ...exampleProps(), dataCount: 5, network });
    const [room] = Annotations.fromStack(stack).findInfo('*', Match.stringLikeRegexp('^losing a zone'));
    expect(room?.entry.data).toMatch(/^losing a zone needs room for 3 of 5 data nodes/);
    const [told] = Annotations.fromStack(stack).findInfo('*', Match.stringLikeRegexp('^survives the loss of'));
    expect(told?.entry.data).toBe(
      'survives the loss of any one machine, or a zone with the smaller part of the masters; a zone has 2 of 3 masters (if each subnet is in a zone of its own)',
    );
  });

  it('the groups of a search cluster retain a node whose drain did not finish, and launch before they terminate', () => {
    const groups = ofType(cluster, 'AWS::AutoScaling::AutoScalingGroup');

    expect(groups.map(({ Properties }) => Properties.AutoScalingGroupName)).toEqual(['logs', 'logs-data']);
    for (const { Properties } of groups) {
      expect(Properties).toMatchObject({
        HealthCheckType: 'EC2',
        InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: 'retain' } },
        LifecycleHookSpecificationList: [
          { LifecycleHookName: 'launching', DefaultResult: 'ABANDON', HeartbeatTimeout: 3600 },
          { LifecycleHookName: 'terminating', DefaultResult: 'ABANDON', HeartbeatTimeout: 3600 },
        ],
      });
    }
    // Room for one more master than there should be, to launch before one of a crowded zone goes.
    expect(groups.map(({ Properties: { MinSize, MaxSize } }) => [MinSize, MaxSize])).toEqual([
      ['3', '4'],
      ['5', '5'],
    ]);
    expect(groups.map(({ Properties }) => Properties.InstanceMaintenancePolicy)).toEqual([
      { MinHealthyPercentage: 100, MaxHealthyPercentage: 134 },
      { MinHealthyPercentage: 100, MaxHealthyPercentage: 120 },
    ]);
  });

  it('a deployment waits for a green cluster after both groups, which have no creation policy of their own', () => {
    const [[id, green]] = Object.entries(cluster.Resources).filter(
      ([, { Type }]) => Type === 'Custom::GreenCluster',
    ) as [[string, Resource]];
    const groups = Object.entries(cluster.Resources).filter(
      ([, { Type }]) => Type === 'AWS::AutoScaling::AutoScalingGroup',
    );

    expect(green.Properties).toMatchObject({
      Masters: 3,
      Minutes: 45,
    });
    expect(green.Properties).not.toHaveProperty('Templates');
    expect(green.DependsOn).toEqual(expect.arrayContaining(groups.map(([name]) => name)));
    for (const [, group] of groups) {
      expect(group).not.toHaveProperty('CreationPolicy');
      expect(group.DependsOn).not.toContain(id);
      // So that it releases instances that never became a node as long as the groups exist.
      expect(text(group.DependsOn)).toContain('SearchClusterWatchSchedule');
    }
  });

  it('no launch template changes with the version or the software of the module, and no changed one replaces a node', () => {
    const pointers = ofType(cluster, 'Custom::Software').map(({ Properties }) => Properties);
    expect(pointers).toHaveLength(1);
    const { Version, Archives } = pointers[0] as { Version: string; Archives: { Sha256: string; Key: string }[] };
    const templates = text(ofType(cluster, 'AWS::EC2::LaunchTemplate'));
    for (const part of [Version, ...Archives.flatMap(({ Sha256, Key }) => [Sha256, Key])])
      expect(templates).not.toContain(part);
    expect(templates).toContain('/software/current.json');
    for (const group of ofType(cluster, 'AWS::AutoScaling::AutoScalingGroup'))
      expect(group).not.toHaveProperty('UpdatePolicy');
  });

  it('an update refreshes the data nodes of a search cluster before its masters', () => {
    const group = (name: string) =>
      Object.entries(cluster.Resources).find(([, { Properties }]) => Properties?.AutoScalingGroupName === name)!;

    expect(group('logs')[1].DependsOn).toContain(group('logs-data')[0]);
    expect(group('logs-data')[1].DependsOn).not.toContain(group('logs')[0]);
  });

  it('the image of search nodes is resolved once by the stack, not at each deployment', () => {
    const [id] = Object.entries(cluster.Resources).find(([, { Type }]) => Type === 'Custom::NodeImage')!;

    for (const { Properties } of ofType(cluster, 'AWS::EC2::LaunchTemplate'))
      expect(Properties.LaunchTemplateData).toMatchObject({ ImageId: { Ref: id } });
    expect(text(cluster)).not.toContain('AWS::EC2::Image::Id');
    for (const { DependsOn } of ofType(cluster, 'AWS::AutoScaling::AutoScalingGroup')) expect(DependsOn).toContain(id);
  });

  it('every node has the tags cluster and environment, even if tags name them too', () => {
    const tagged = synthesiseCluster({ tags: { cluster: 'other', environment: 'other' } });

    for (const { Properties } of ofType(tagged, 'AWS::AutoScaling::AutoScalingGroup')) {
      expect(Properties.Tags).toContainEqual({ Key: 'cluster', Value: 'logs', PropagateAtLaunch: true });
      expect(Properties.Tags).toContainEqual({ Key: 'environment', Value: 'production', PropagateAtLaunch: true });
    }
  }, 120_000);

  it('search nodes use IMDSv2 with a hop limit of 1 and encrypted volumes', () => {
    for (const { Properties } of ofType(cluster, 'AWS::EC2::LaunchTemplate'))
      expect(Properties.LaunchTemplateData).toMatchObject({
        MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 1 },
        BlockDeviceMappings: [{ Ebs: { Encrypted: true, VolumeType: 'gp3' } }],
      });
  });

  it('a data node keeps its data on a volume of its own, with IOPS, throughput and key, when they are given', () => {
    const kmsKeyArn = 'arn:aws:kms:eu-west-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef';
    const own = synthesiseCluster({
      separateDataVolume: true,
      dataVolumeSize: 1000,
      dataVolumeIops: 6000,
      dataVolumeThroughput: 500,
      kmsKeyArn,
    });
    const [masters, data] = ofType(own, 'AWS::EC2::LaunchTemplate').map(
      ({ Properties }) =>
        (Properties.LaunchTemplateData as { BlockDeviceMappings: { Ebs: object }[] }).BlockDeviceMappings,
    );
    const ebs = { VolumeType: 'gp3', Encrypted: true, DeleteOnTermination: true, KmsKeyId: kmsKeyArn };

    expect(data).toEqual([
      { DeviceName: '/dev/sda1', Ebs: { ...ebs, VolumeSize: 30 } },
      { DeviceName: '/dev/sdf', Ebs: { ...ebs, VolumeSize: 1000, Iops: 6000, Throughput: 500 } },
    ]);
    expect(masters?.[1]?.Ebs).toEqual({ ...ebs, VolumeSize: 30 });
  }, 120_000);

  it('the load balancers terminate HTTPS with a public certificate and forward HTTP on 9200, with a health check of each node', () => {
    const names = ['logs.search.example.com', 'logs-master.search.example.com', 'logs-data.search.example.com'];

    expect(ofType(cluster, 'AWS::CertificateManager::Certificate')[0]?.Properties).toMatchObject({
      DomainName: names[0],
      SubjectAlternativeNames: names.slice(1),
      ValidationMethod: 'DNS',
      DomainValidationOptions: names.map((DomainName) => ({ DomainName, HostedZoneId: 'Z0123456789ABCDEFGHIJ' })),
    });
    expect(ofType(cluster, 'AWS::ElasticLoadBalancingV2::Listener')).toHaveLength(2);
    for (const { Properties } of ofType(cluster, 'AWS::ElasticLoadBalancingV2::Listener'))
      expect(Properties).toMatchObject({ Port: 443, Protocol: 'HTTPS' });
    for (const { Properties } of ofType(cluster, 'AWS::ElasticLoadBalancingV2::TargetGroup'))
      expect(Properties).toMatchObject({
        Protocol: 'HTTP',
        Port: 9200,
        TargetType: 'instance',
        HealthCheckPath: '/_cluster/health?local=true',
      });
  });

  it.each([
    ['logs.search.example.com', 'Masters', 'logs'],
    ['logs-master.search.example.com', 'Masters', 'logs'],
    ['logs-data.search.example.com', 'Data', 'logs-data'],
  ])('the address %s leads to the load balancer %s of the group %s', (name, balancer, group) => {
    const record = ofType(cluster, 'AWS::Route53::RecordSet').find(({ Properties }) => Properties.Name === name);
    const nodes = ofType(cluster, 'AWS::AutoScaling::AutoScalingGroup').find(
      ({ Properties }) => Properties.AutoScalingGroupName === group,
    );
    const listener = ofType(cluster, 'AWS::ElasticLoadBalancingV2::Listener').find(({ Properties }) =>
      text(Properties.LoadBalancerArn).includes(`Addresses${balancer}Balancer`),
    );

    expect(text(record?.Properties.AliasTarget)).toContain(`Addresses${balancer}Balancer`);
    expect(text(listener?.Properties.DefaultActions)).toContain(`Addresses${balancer}Targets`);
    expect(text(nodes?.Properties.TargetGroupARNs)).toContain(`Addresses${balancer}Targets`);
  });

  it('a search cluster has these alarms', () => {
    const names = ofType(cluster, 'AWS::CloudWatch::Alarm').map(({ Properties }) => Properties.AlarmName);

    expect(names.sort()).toEqual([
      'certificate_expires-logs',
      'cluster_not_green-logs',
      'disk_above_watermark-logs',
      'drain_too_long-logs',
      'heap_too_full-logs',
      'masters_in_one_zone-logs',
      'requests_rejected-logs',
      'restore_drill_failed-logs',
      'restore_drill_too_old-logs',
      'retained_instance-logs',
      'snapshot_too_old-logs',
      'software_roll_stopped-logs',
      'unhealthy_hosts-logs',
      'unhealthy_hosts-logs-data',
      'writes_blocked-logs',
    ]);
  });
});

describe('the network of a search cluster', () => {
  it('nodes accept 9200 from the load balancers, 9300 from nodes, 9100 and 9114 from the monitoring network, and nothing else', () => {
    const scraped = synthesiseCluster({ monitoringCidrBlock: '10.9.0.0/16' });

    expect(ingressOf(scraped, /^nodes of/).sort()).toEqual([
      '9100 from 10.9.0.0/16',
      '9114 from 10.9.0.0/16',
      '9200 from load balancers of the search cluster logs',
      '9300 from nodes of the search cluster logs',
    ]);
    expect(ofType(scraped, 'AWS::EC2::SecurityGroup')).toHaveLength(2);
  }, 120_000);

  it('load balancers accept HTTPS from client_security_group_ids alone when they are given', () => {
    const clientSecurityGroupIds = ['sg-0a1b2c3d4e5f60711'];
    const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/own';
    const reached = synthesiseCluster({ clientSecurityGroupIds, certificateArn, accessLogsBucket: 'access-logs' });
    const [group] = ofType(reached, 'AWS::EC2::SecurityGroup').filter(({ Properties }) =>
      text(Properties.GroupDescription).includes('load balancers'),
    );

    expect(group?.Properties.SecurityGroupIngress).toEqual([
      {
        Description: 'HTTPS',
        FromPort: 443,
        IpProtocol: 'tcp',
        SourceSecurityGroupId: 'sg-0a1b2c3d4e5f60711',
        ToPort: 443,
      },
    ]);
    expect(ofType(reached, 'AWS::CertificateManager::Certificate')).toEqual([]);
    for (const { Properties } of ofType(reached, 'AWS::ElasticLoadBalancingV2::Listener'))
      expect(Properties.Certificates).toEqual([{ CertificateArn: certificateArn }]);
    expect(ofType(reached, 'AWS::ElasticLoadBalancingV2::LoadBalancer')[1]?.Properties.LoadBalancerAttributes).toEqual(
      expect.arrayContaining([
        { Key: 'access_logs.s3.enabled', Value: 'true' },
        { Key: 'access_logs.s3.bucket', Value: 'access-logs' },
        { Key: 'access_logs.s3.prefix', Value: 'logs-data.search.example.com' },
      ]),
    );
  }, 120_000);

  it('the snapshot bucket removes delete markers whose versions have expired', () => {
    expect(text(ofType(cluster, 'AWS::S3::Bucket'))).toContain('"ExpiredObjectDeleteMarker":true');
  });

  it('the exporters and the addresses are open to the VPC by default', () => {
    expect(ingressOf(cluster, /^nodes of/)).toContain('9100 from 10.0.0.0/16');
    expect(ingressOf(cluster, /^load balancers of/)).toEqual(['443 from 10.0.0.0/16']);
  });
});

describe('the permissions of a search node', () => {
  const master = () => statementsOf(cluster, 'SearchClusterMastersRole');
  const data = () => statementsOf(cluster, 'SearchClusterDataNodesRole');

  it('a search node may make exactly the calls of its programs; only a master may terminate instances and change a size, that of its own group', () => {
    const common = [
      'autoscaling:CancelInstanceRefresh',
      'autoscaling:CompleteLifecycleAction',
      'autoscaling:DescribeAutoScalingGroups',
      'autoscaling:DescribeAutoScalingInstances',
      'autoscaling:DescribeInstanceRefreshes',
      'autoscaling:DescribeLifecycleHooks',
      'autoscaling:DescribeScalingActivities',
      'autoscaling:RecordLifecycleActionHeartbeat',
      'cloudwatch:PutMetricData',
      'ec2:CreateTags',
      'ec2:DescribeInstanceStatus',
      'ec2:DescribeInstances',
      'ec2:DescribeTags',
      's3:AbortMultipartUpload',
      's3:DeleteObject',
      's3:GetBucketLocation',
      's3:GetObject',
      's3:ListBucket',
      's3:ListBucketMultipartUploads',
      's3:ListBucketVersions',
      's3:ListMultipartUploadParts',
      's3:PutObject',
      'secretsmanager:DescribeSecret',
      'secretsmanager:GetSecretValue',
      'secretsmanager:PutSecretValue',
      'secretsmanager:UpdateSecretVersionStage',
      'ssm:UpdateInstanceInformation',
    ];
    const own = (statements: readonly Statement[]) =>
      [...new Set(actionsOf(statements))].filter((action) => !/^(ssm|ec2)messages:/.test(action));

    expect(own(data())).toEqual(common);
    const more = ['autoscaling:SetDesiredCapacity', 'autoscaling:TerminateInstanceInAutoScalingGroup'];
    expect(own(master())).toEqual([...common, ...more].sort());
    expect(resourcesOf(master(), 'autoscaling:SetDesiredCapacity')).toEqual([
      expect.stringMatching(/autoScalingGroupName\/logs"/),
    ]);
  });

  it('a search node may read only the secrets of its own cluster, and not change the certificate authority', () => {
    const [read] = resourcesOf(master(), 'secretsmanager:GetSecretValue');
    const [write] = resourcesOf(master(), 'secretsmanager:PutSecretValue');

    for (const name of ['Elastic', 'KibanaSystem', 'CaCertificate', 'CaKey'])
      expect(read).toContain(`SearchClusterSecrets${name}`);
    expect(write).toMatch(/SecretsElastic.*SecretsKibanaSystem/);
    expect(write).not.toContain('SecretsCa');
    expect(read).not.toContain('*');
  });

  it('a search node may change only the two groups of its own cluster, and tag only its nodes', () => {
    const [groups] = resourcesOf(master(), 'autoscaling:CompleteLifecycleAction');
    const tagging = master().find(({ Action }) => Action === 'ec2:CreateTags');

    expect(groups).toMatch(/autoScalingGroupName\/logs".*autoScalingGroupName\/logs-data"/);
    expect(tagging?.Condition).toEqual({
      StringEquals: { 'aws:ResourceTag/cluster': 'logs', 'aws:ResourceTag/environment': 'production' },
      'ForAllValues:StringEquals': {
        'aws:TagKeys': ['drover:cluster-uuid', 'drover:drain', 'drover:launch', 'drover:software'],
      },
    });
  });

  it('a search node may not delete the record of the bootstrapped cluster', () => {
    const [deletes] = resourcesOf(master(), 's3:DeleteObject');

    expect(deletes).toContain('Snapshots');
    expect(deletes).not.toContain('State');
  });
});

describe('the secrets of a search cluster', () => {
  it('passwords are generated; the secrets of the certificate authority are retained when the stack is deleted', () => {
    const secrets = Object.entries(cluster.Resources).filter(([, { Type }]) => Type === 'AWS::SecretsManager::Secret');
    const [elastic, kibana, certificate, key] = secrets.map(
      ([, resource]) => resource as Resource & { DeletionPolicy: string },
    );

    for (const password of [elastic, kibana]) expect(password?.Properties.GenerateSecretString).toBeDefined();
    for (const authority of [certificate, key]) {
      expect(Object.keys(authority!.Properties).sort()).toEqual(['Description', 'Tags']);
      expect(authority?.DeletionPolicy).toBe('RetainExceptOnCreate');
    }
    expect(text(cluster)).not.toMatch(/PRIVATE KEY|BEGIN CERTIFICATE/);
  });

  it('snapshots and state are in private, encrypted, versioned buckets that require TLS', () => {
    const buckets = ofType(cluster, 'AWS::S3::Bucket') as (Resource & { DeletionPolicy: string })[];

    expect(buckets).toHaveLength(2);
    for (const { Properties, DeletionPolicy } of buckets) {
      expect(DeletionPolicy).toBe('Retain');
      expect(Properties).toMatchObject({
        VersioningConfiguration: { Status: 'Enabled' },
        PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
      });
      expect(Properties.BucketEncryption).toBeDefined();
    }
    for (const { Properties } of ofType(cluster, 'AWS::S3::BucketPolicy'))
      expect(text(Properties.PolicyDocument)).toContain('"aws:SecureTransport":"false"');
  });
});

describe('examples/search-cluster', () => {
  it('the example synthesises offline to its template.snap.json', async () => {
    const outdir = mkdtempSync(join(tmpdir(), 'drover-example-'));
    Object.assign(process.env, { CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(exampleContext) });
    await import(join(example, 'app.ts'));
    const template = JSON.stringify(readTemplate(outdir, 'search-cluster'), null, 2);

    await expect(`${template.replaceAll(/\b[0-9a-f]{64}\b/g, '<sha256>')}\n`).toMatchFileSnapshot(
      join(example, 'template.snap.json'),
    );
  }, 120_000);
});
