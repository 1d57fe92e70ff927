import { nodeGroupTags, volumeMaxTag } from '@drover/core/names/node-groups';
import { discoveryTags, hooks } from '@drover/core/names/search-cluster';
import { Aws, Fn, Stack } from 'aws-cdk-lib';
import { CfnAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import { CfnLaunchTemplate } from 'aws-cdk-lib/aws-ec2';
import { CfnInstanceProfile, type Role } from 'aws-cdk-lib/aws-iam';
import type { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge, acknowledgeWildcards } from '../acknowledge.ts';
import { type MachineSpec, machine } from '../boot/machine.ts';
import { launchHook, terminateHook } from '../lifecycle-hook.ts';
import { instanceRole } from '../statements.ts';
import type { GroupSettings } from './groups/group-settings.ts';
import { type ClusterStores, nodeStatements, upgradesReason, wildcardReasons } from './permissions.ts';
import { nodeKinds, type SearchClusterSettings } from './settings.ts';
import { nodeUserData, placesOf } from './user-data.ts';

export interface NodeGroupProps extends ClusterStores {
  /** Address of the object that names the software. */
  readonly pointerUrl: string;
  readonly imageId: string;
  /** Of Elasticsearch. */
  readonly launchVersion: string;
  readonly securityGroupId: string;
  /** Undefined: no address leads to the group. */
  readonly targetGroupArn: string | undefined;
}

/**
 * An Auto Scaling group of masters or of data nodes. A node is terminated only when its hook has completed, and no node is replaced
 * because its launch template has changed: an operator starts an instance refresh.
 */
export class NodeGroup extends Construct {
  readonly group: CfnAutoScalingGroup;
  readonly role: Role;
  readonly #own: GroupSettings;
  readonly #settings: SearchClusterSettings;
  readonly #props: NodeGroupProps;

  constructor(
    scope: Construct,
    id: string,
    own: GroupSettings,
    settings: SearchClusterSettings,
    props: NodeGroupProps,
  ) {
    super(scope, id);
    this.#own = own;
    this.#settings = settings;
    this.#props = props;
    this.role = this.#role();
    this.group = this.#group(this.#launchTemplate());
    // The first node needs its permissions and the authority that signs its certificate.
    this.group.node.addDependency(this.role, props.secrets.authority);
  }

  #role(): Role {
    const settings = this.#settings;
    const role = instanceRole(this, nodeStatements(this.#own, settings, this.#props), settings.extraPolicies);
    const snapshots = this.#props.buckets.snapshots.node.defaultChild as CfnBucket;
    acknowledgeWildcards(role, {
      ...wildcardReasons(settings, Stack.of(this).getLogicalId(snapshots)),
      ...upgradesReason(this.#props.buckets.state),
    });
    return role;
  }

  #launchTemplate(): CfnLaunchTemplate {
    const settings = this.#settings;
    const { instanceType } = this.#own;
    const profile = new CfnInstanceProfile(this, 'Profile', { roles: [this.role.roleName] });
    return new CfnLaunchTemplate(this, 'Template', {
      launchTemplateData: {
        imageId: this.#props.imageId,
        instanceType,
        iamInstanceProfile: { arn: profile.attrArn },
        securityGroupIds: [this.#props.securityGroupId],
        userData: Fn.base64(this.#userData()),
        ...machine(this.#machine()),
        ...(settings.separateDataVolume ? { tagSpecifications: [this.#volumeTags()] } : {}),
      },
    });
  }

  /** By them the function that watches the cluster may grow what is launched below the size of the other volumes. */
  #volumeTags(): CfnLaunchTemplate.TagSpecificationProperty {
    const { clusterName, environment } = this.#settings;
    const tags = [
      { key: discoveryTags.cluster, value: clusterName },
      { key: discoveryTags.environment, value: environment },
      { key: 'Name', value: this.#own.name },
    ];
    return { resourceType: 'volume', tags };
  }

  #machine(): MachineSpec {
    const {
      rootDeviceName,
      kmsKeyArn: kmsKeyId,
      separateDataVolume,
      dataVolumeIops: iops,
      dataVolumeThroughput: throughput,
    } = this.#settings;
    const { volumeGiB, holdsData } = this.#own;
    const performance = holdsData ? { iops, throughput } : {};
    return separateDataVolume
      ? { rootDeviceName, kmsKeyId, volumeGiB: systemVolumeGiB, data: { ...performance, volumeGiB } }
      : { rootDeviceName, kmsKeyId, volumeGiB, performance };
  }

  #userData(): string {
    const { pointerUrl, launchVersion } = this.#props;
    return nodeUserData(this.#own.key, this.#settings, {
      region: Aws.REGION,
      urlSuffix: Aws.URL_SUFFIX,
      pointerUrl,
      groupName: this.#own.name,
      launchVersion,
      ...placesOf(this.#props),
    });
  }

  #group(template: CfnLaunchTemplate): CfnAutoScalingGroup {
    const settings = this.#settings;
    const { key, name, count } = this.#own;
    const lifetimeSeconds = settings.maxInstanceLifetimeDays * 86_400;
    const group = new CfnAutoScalingGroup(this, 'Group', {
      autoScalingGroupName: name,
      minSize: String(count),
      maxSize: String(largest(this.#own)),
      vpcZoneIdentifier: [...settings.subnetIds],
      launchTemplate: { launchTemplateId: template.ref, version: template.attrLatestVersionNumber },
      ...(this.#props.targetGroupArn === undefined ? {} : { targetGroupArns: [this.#props.targetGroupArn] }),
      // A node that fails the load balancer's health check still has shards: only a failed instance is replaced.
      healthCheckType: 'EC2',
      healthCheckGracePeriod: 300,
      defaultInstanceWarmup: 0,
      metricsCollection: [{ granularity: '1Minute' }],
      ...(lifetimeSeconds === 0 ? {} : { maxInstanceLifetime: lifetimeSeconds }),
      lifecycleHookSpecificationList: [launchHook(hooks.launching), terminateHook(hooks.terminating)],
      instanceMaintenancePolicy: { minHealthyPercentage: 100, maxHealthyPercentage: oneMorePercent(count) },
      // In addition to the tags of every resource of the cluster, by which nodes discover each other.
      tags: [
        { key: 'Name', value: name, propagateAtLaunch: true },
        ...(isUsual(key) ? [] : this.#furtherTags()),
        ...this.#growthTags(),
      ],
    });
    // A node whose drain did not finish is retained, so that its data is not lost. Older versions of the CDK drop props that they do not know.
    group.addPropertyOverride('InstanceLifecyclePolicy', { RetentionTriggers: { TerminateHookAbandon: 'retain' } });
    acknowledge(group, { AS3: 'alarms report what matters; a message for each launch would hide them' });
    return group;
  }

  /** By them every program of the cluster finds a group beside the usual two. */
  #furtherTags(): CfnAutoScalingGroup.TagPropertyProperty[] {
    return [
      { key: nodeGroupTags.of, value: this.#settings.resourceName, propagateAtLaunch: false },
      { key: nodeGroupTags.roles, value: (this.#own.roles ?? []).join(' '), propagateAtLaunch: false },
    ];
  }

  /** No node may change them, so none can raise the limit. */
  #growthTags(): CfnAutoScalingGroup.TagPropertyProperty[] {
    const most = this.#settings.dataVolumeMaxSize;
    return this.#own.key === 'data' && most !== undefined
      ? [{ key: volumeMaxTag, value: String(most), propagateAtLaunch: false }]
      : [];
  }
}

const isUsual = (key: string) => (nodeKinds as readonly string[]).includes(key);

/**
 * A group without a desired capacity in its template keeps the one that it has: nodes that full disks have added stay.
 * Masters are spread over the zones again by launching one more before one of a crowded zone goes; a single master
 * cannot be spread.
 */
const largest = ({ key, count, maxCount }: GroupSettings): number =>
  key === 'master' && count > 1 ? count + 1 : maxCount;

/** Room for the system and its logs beside a volume for data. */
const systemVolumeGiB = 30;

/** The least whole percentage with which one more node than `count` fits; the largest that Auto Scaling takes for none. */
export const oneMorePercent = (count: number): number => (count === 0 ? 200 : Math.ceil((100 * (count + 1)) / count));
