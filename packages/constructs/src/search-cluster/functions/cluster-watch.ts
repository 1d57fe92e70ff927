import {
  deploymentObject,
  discoveryTags,
  groupNames,
  growthObject,
  imagesObject,
  metricNamespace,
  resourceName,
  restartTag,
  roomObject,
  stateObjects,
  trafficTag,
  upgradeObject,
  watchEnvironment,
  watchFunction,
} from '@drover/core/names/search-cluster';
import { Aws, CustomResource, Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledgeWildcards } from '../../acknowledge.ts';
import { imageParameter } from '../../boot/images.ts';
import { ModuleFunction } from '../../module-function.ts';
import { allow, instanceArn, volumeArn, wildcardFinding } from '../../statements.ts';
import { groupArns, upgradesReason } from '../permissions.ts';
import type { SearchClusterSettings } from '../settings.ts';

export interface WatchedResources {
  readonly state: Bucket;
  /** Of the masters and of the data nodes. */
  readonly targetGroupArns: readonly string[];
}

/**
 * Watches the groups from outside: lets instances go that never became a node, counts what is retained, takes a node that restarts out of
 * its load balancer, and ends the wait of a deployment for a green cluster. The groups depend on it, so it is there as long as they are.
 */
export class ClusterWatch extends Construct {
  readonly #function: ModuleFunction;

  constructor(
    scope: Construct,
    id: string,
    settings: SearchClusterSettings,
    { state, targetGroupArns }: WatchedResources,
    logKey: Key,
  ) {
    super(scope, id);
    this.#function = new ModuleFunction(this, 'Pass', {
      functionName: watchFunction(settings.resourceName),
      bundle: 'apps/functions/dist/cluster-watch',
      environment: {
        [watchEnvironment.clusterName]: settings.clusterName,
        [watchEnvironment.resourceName]: settings.resourceName,
        [watchEnvironment.environment]: settings.environment,
        [watchEnvironment.stateBucket]: state.bucketName,
      },
      statements: statements(settings, state, targetGroupArns),
      logKey,
    });
    acknowledgeWildcards(this.#function, {
      'Resource::*': 'Describe calls and PutMetricData know no narrower resource; a condition narrows the second',
      ...Object.fromEntries(
        groupArns(settings).map((arn) => [wildcardFinding(arn), 'the uuid of a group is not known']),
      ),
      [wildcardFinding(instanceArn('*'))]:
        'the nodes of this cluster are not known; a condition on their tags narrows it',
      [wildcardFinding(volumeArn('*'))]:
        'the volumes of this cluster are not known; a condition on their tags narrows it',
      ...upgradesReason(state),
    });
    const targets = [new LambdaFunction(this.#function.fn, { retryAttempts: 0 })];
    new Rule(this, 'Schedule', { schedule: Schedule.rate(Duration.minutes(5)), targets });
    // Delivered with best effort, so the schedule does it, too.
    new Rule(this, 'Restarts', {
      eventPattern: {
        source: ['aws.tag'],
        detailType: ['Tag Change on Resource'],
        detail: {
          service: ['ec2'],
          'resource-type': ['instance'],
          'changed-tag-keys': [restartTag],
          tags: {
            [discoveryTags.cluster]: [settings.clusterName],
            [discoveryTags.environment]: [settings.environment],
          },
        },
      },
      targets,
    });
  }

  /** The resource whose reference is the image of the nodes. The groups come after it: it fails where they would be renamed. */
  nodeImage(scope: Construct, id: string, settings: SearchClusterSettings): CustomResource {
    const { clusterName, environment, namesWithEnvironment, amiRelease, amiId } = settings;
    const groups = (withEnvironment: boolean) =>
      Object.values(groupNames).map((name) => name(resourceName(clusterName, environment, withEnvironment)));
    return new CustomResource(scope, id, {
      resourceType: 'Custom::NodeImage',
      serviceToken: this.#function.fn.functionArn,
      properties: {
        Groups: groups(namesWithEnvironment),
        OtherGroups: groups(!namesWithEnvironment),
        Parameter: imageParameter(settings),
        ...(amiRelease === '' ? {} : { Release: amiRelease }),
        ...(amiId === undefined ? {} : { ImageId: amiId }),
      },
    });
  }

  /** The resource whose reference is the version in the user data: an upgrade in place leaves it as it was. */
  launchVersion(scope: Construct, id: string, { elasticsearchVersion }: SearchClusterSettings): CustomResource {
    return new CustomResource(scope, id, {
      resourceType: 'Custom::LaunchVersion',
      serviceToken: this.#function.fn.functionArn,
      properties: { ElasticsearchVersion: elasticsearchVersion },
    });
  }

  /** The resource for which a deployment that launches nodes waits; it has to depend on all groups. */
  greenCluster(scope: Construct, id: string, settings: SearchClusterSettings): CustomResource {
    return new CustomResource(scope, id, {
      resourceType: 'Custom::GreenCluster',
      serviceToken: this.#function.fn.functionArn,
      properties: {
        ClusterName: settings.clusterName,
        Masters: settings.nodes.master.count,
        DataNodes: dataNodes(settings),
        Minutes: settings.greenWithinMinutes,
      },
    });
  }
}

const dataNodes = ({ nodes }: SearchClusterSettings) =>
  Object.values(nodes).reduce((sum, { holdsData, count }) => sum + (holdsData ? count : 0), 0);

/** Public parameters belong to no account. */
const publicParameterArn = (name: string) => `arn:${Aws.PARTITION}:ssm:${Aws.REGION}::parameter${name}`;

function statements(
  settings: SearchClusterSettings,
  state: Bucket,
  targetGroupArns: readonly string[],
): PolicyStatement[] {
  const grows = settings.dataVolumeMaxSize !== undefined;
  return [
    allow(
      [
        'autoscaling:DescribeAutoScalingGroups',
        'ec2:DescribeInstances',
        'ec2:DescribeVolumes',
        'ec2:DescribeVolumesModifications',
        'elasticloadbalancing:DescribeTargetHealth',
      ],
      ['*'],
    ),
    allow(['elasticloadbalancing:DeregisterTargets', 'elasticloadbalancing:RegisterTargets'], [...targetGroupArns]),
    allow(['ec2:CreateTags'], [instanceArn('*')], {
      StringEquals: {
        [`aws:ResourceTag/${discoveryTags.cluster}`]: settings.clusterName,
        [`aws:ResourceTag/${discoveryTags.environment}`]: settings.environment,
      },
      'ForAllValues:StringEquals': { 'aws:TagKeys': [trafficTag] },
    }),
    // Of the nodes that launch templates give a volume for data, and its tags.
    ...(settings.separateDataVolume
      ? [
          allow(['ec2:ModifyVolume'], [volumeArn('*')], {
            StringEquals: {
              [`aws:ResourceTag/${discoveryTags.cluster}`]: settings.clusterName,
              [`aws:ResourceTag/${discoveryTags.environment}`]: settings.environment,
            },
          }),
        ]
      : []),
    allow(
      [
        'autoscaling:CompleteLifecycleAction',
        'autoscaling:SuspendProcesses',
        'autoscaling:TerminateInstanceInAutoScalingGroup',
      ],
      groupArns(settings),
    ),
    allow(['cloudwatch:PutMetricData'], ['*'], { StringEquals: { 'cloudwatch:namespace': metricNamespace } }),
    allow(
      ['s3:GetObject'],
      [stateObjects.formed, ...(grows ? [roomObject] : [growthObject]), upgradeObject('*')].map((key) =>
        state.arnForObjects(key),
      ),
    ),
    allow(
      ['s3:GetObject', 's3:PutObject'],
      [deploymentObject, imagesObject, ...(grows ? [growthObject] : [])].map((key) => state.arnForObjects(key)),
    ),
    allow(['ssm:GetParameter'], [publicParameterArn(imageParameter(settings))]),
    // Without it S3 returns 403 instead of 404 while an object does not exist yet.
    allow(['s3:ListBucket'], [state.bucketArn]),
    allow(['cloudformation:DescribeStacks'], [Aws.STACK_ID]),
  ];
}
