import {
  bootstrapTimeoutSeconds,
  fallbackGroupName,
  hooks,
  hostReportPrefix,
  imageTags,
  otherReleaseObject,
  releaseObject,
  tags as tagKeys,
} from '@drover/core/names/runner-fleet';
import { moduleVersion } from '@drover/core/names/version';
import { Aws, Fn } from 'aws-cdk-lib';
import { CfnAutoScalingGroup, CfnWarmPool } from 'aws-cdk-lib/aws-autoscaling';
import { CfnLaunchTemplate, CfnSecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { CfnInstanceProfile, type Role } from 'aws-cdk-lib/aws-iam';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { ParameterValueType, StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { acknowledge, acknowledgeWildcards } from '../acknowledge.ts';
import { imageParameter } from '../boot/images.ts';
import { machine } from '../boot/machine.ts';
import type { BootSoftware } from '../boot/software.ts';
import { requirementsProperty } from '../inputs/instance-requirements.ts';
import { launchHook, terminateHook } from '../lifecycle-hook.ts';
import { instanceArn, instanceRole } from '../statements.ts';
import type { BakeParts } from './image/bake-rights.ts';
import { BakedImage } from './image/baked-image.ts';
import { instanceStatements, wildcardReasons } from './permissions.ts';
import type { RunnerFleetSettings } from './settings.ts';
import { ownGroupNames, scaleSetLabels } from './types/type-settings.ts';
import { runnerUserData } from './user-data.ts';

/** The places of a fleet that its groups share. */
export interface FleetShared {
  readonly memory: Bucket;
  readonly logs: LogGroup;
  /** For a group of a type. */
  readonly type?: TypeOfFleet;
}

/** The type of a group, and the group of the default type. */
interface TypeOfFleet {
  readonly name: string;
  readonly fleet: string;
  readonly securityGroup: CfnSecurityGroup;
  /** Its architecture is not the fleet's. */
  readonly otherArchitecture: boolean;
}

/** The image and the role of a group's instances. */
interface Machines {
  readonly imageId: string;
  readonly profileArn: string;
}

/** A group that launches on demand, the group that it stands in for, and the group of the default type. */
interface Fallback {
  readonly name: string;
  readonly of: string;
  readonly fleet: string;
}

interface GroupPlace {
  readonly bakeTags: Readonly<Record<string, string>>;
  readonly type: TypeOfFleet | undefined;
  readonly fallback?: Fallback;
}

/** The group, its launch template, hooks and warm pool. The hooks exist before the first launch. */
export class FleetGroup extends Construct {
  readonly group: CfnAutoScalingGroup;
  readonly #groups: readonly CfnAutoScalingGroup[];
  readonly role: Role;
  readonly securityGroup: CfnSecurityGroup;
  /** With `baked_image`: what the launches of a bake use. */
  readonly bake: BakeParts | undefined;

  constructor(
    scope: Construct,
    id: string,
    settings: RunnerFleetSettings,
    software: BootSoftware,
    shared: FleetShared,
  ) {
    super(scope, id);
    this.role = this.#role(settings, shared);
    software.grantRead(this.role);
    const profile = new CfnInstanceProfile(this, 'Profile', { roles: [this.role.roleName] });
    this.securityGroup = shared.type?.securityGroup ?? this.#securityGroup(settings);
    // The given image, or the one that is current at each deployment.
    const baseImage = settings.amiId ?? currentImage(this, imageParameter(settings));
    const baked = settings.bakedImage
      ? new BakedImage(this, 'Image', settings, baseImage, { ...shared, software })
      : undefined;
    const imageId = baked?.imageId ?? baseImage;
    const machines = { imageId, profileArn: profile.attrArn };
    const template = this.#launchTemplate('Template', settings, software, machines, shared);
    this.bake = baked && {
      settings,
      templateId: template.ref,
      role: baked.role,
      securityGroupIds: [this.securityGroup.attrGroupId, ...(settings.extraSecurityGroupIds ?? [])],
    };
    const bakeTags: Record<string, string> =
      baked === undefined ? {} : { [imageTags.baseImage]: baseImage, [imageTags.bakeProfile]: baked.profileName };
    this.group = this.#group('Group', settings, template, { type: shared.type, bakeTags });
    this.#groups = [this.group, ...this.#fallback(settings, software, machines, shared)];
    // The first instance needs its permissions.
    this.dependsOn(this.role);
    if (settings.warmPool !== undefined) this.#warmPool(settings.warmPool);
  }

  /** The groups are made after it. */
  dependsOn(other: Construct): void {
    for (const group of this.#groups) group.node.addDependency(other);
  }

  /** The group that launches on demand what spot has no capacity for: with a launch template of its own, by which its hosts know their group. */
  #fallback(
    settings: RunnerFleetSettings,
    software: BootSoftware,
    machines: Machines,
    shared: FleetShared,
  ): CfnAutoScalingGroup[] {
    if (settings.onDemandFallback !== true) return [];
    const { groupName } = settings;
    const fallback = { of: groupName, name: fallbackGroupName(groupName), fleet: shared.type?.fleet ?? groupName };
    const template = this.#launchTemplate('FallbackTemplate', settings, software, machines, { ...shared, fallback });
    const onDemand = { ...settings, groupName: fallback.name, spotAboveBase: undefined };
    const mixed = settings.severalTypes;
    const place = { type: shared.type, bakeTags: {}, fallback };
    const group = this.#group('Fallback', { ...onDemand, mixed }, template, place);
    // Deleted first: the functions know its hosts by the group that it belongs to, and end those that have finished.
    group.node.addDependency(this.group);
    return [group];
  }

  #role(settings: RunnerFleetSettings, { memory, logs }: FleetShared): Role {
    const statements = instanceStatements(settings, memory, logs.logGroupArn);
    const role = instanceRole(this, statements, settings.extraPolicies);
    acknowledgeWildcards(role, wildcardReasons(ownGroupNames(settings), memory));
    return role;
  }

  #securityGroup({ groupName, vpcId }: RunnerFleetSettings): CfnSecurityGroup {
    return new CfnSecurityGroup(this, 'Network', {
      groupDescription: `runners of ${groupName}: nothing comes in`,
      vpcId,
      securityGroupEgress: [{ ipProtocol: '-1', cidrIp: '0.0.0.0/0', description: 'jobs may reach anything' }],
    });
  }

  #launchTemplate(
    id: string,
    settings: RunnerFleetSettings,
    software: BootSoftware,
    { imageId, profileArn }: Machines,
    { memory, logs, type, fallback }: FleetShared & { readonly fallback?: Fallback },
  ): CfnLaunchTemplate {
    const facts = { region: Aws.REGION, urlSuffix: Aws.URL_SUFFIX, moduleVersion, software: software.assets };
    const places = {
      bucket: memory.bucketName,
      reports: hostReportPrefix(instanceArn('')),
      logGroup: logs.logGroupName,
      release: type?.otherArchitecture === true ? otherReleaseObject : releaseObject,
      ...(fallback === undefined ? {} : { ownGroup: fallback.name }),
    };
    return new CfnLaunchTemplate(this, id, {
      launchTemplateData: {
        imageId,
        instanceType: settings.templateType,
        iamInstanceProfile: { arn: profileArn },
        securityGroupIds: [this.securityGroup.attrGroupId, ...(settings.extraSecurityGroupIds ?? [])],
        userData: Fn.base64(runnerUserData(settings, facts, places)),
        ...machine({
          volumeGiB: settings.rootVolumeSize,
          rootDeviceName: settings.rootDeviceName,
          kmsKeyId: settings.kmsKeyArn,
          detailedMonitoring: settings.detailedMonitoring,
        }),
        ...(settings.cpuCredits === undefined ? {} : { creditSpecification: { cpuCredits: settings.cpuCredits } }),
        ...(settings.warmPool === undefined ? {} : { hibernationOptions: { configured: true } }),
        tagSpecifications: taggedAtLaunch.map((resourceType) => ({
          resourceType,
          tags: launchTags(settings, type, fallback),
        })),
      },
    });
  }

  #group(
    id: string,
    settings: RunnerFleetSettings,
    template: CfnLaunchTemplate,
    { bakeTags, type, fallback }: GroupPlace,
  ): CfnAutoScalingGroup {
    const launchTemplate = { launchTemplateId: template.ref, version: template.attrLatestVersionNumber };
    const group = new CfnAutoScalingGroup(this, id, {
      autoScalingGroupName: settings.groupName,
      minSize: String(settings.asgMinSize),
      maxSize: String(settings.asgMaxSize),
      vpcZoneIdentifier: [...settings.subnetIds],
      // In jobs mode the windows of the demand choose who goes; the group never does. Given in both modes: a group keeps what is not given,
      // and in idle mode a protected host counts as one that works.
      newInstancesProtectedFromScaleIn: settings.scalingMode === 'jobs',
      healthCheckType: 'EC2',
      healthCheckGracePeriod: 300,
      defaultInstanceWarmup: 60,
      metricsCollection: [{ granularity: '1Minute' }],
      // The group would end instances with a job: hosts that are too old, or at risk, go by `<asg>_runner_version` (decision 60). Values that
      // a release before this one has set are cleared only when they are given.
      maxInstanceLifetime: 0,
      capacityRebalance: false,
      ...(settings.mixed ? { mixedInstancesPolicy: mixedPolicy(settings, launchTemplate) } : { launchTemplate }),
      lifecycleHookSpecificationList: [
        launchHook(hooks.registration),
        launchHook({ ...hooks.bootstrap, heartbeatTimeoutSeconds: bootstrapTimeoutSeconds(settings.bootTimeout) }),
        terminateHook(hooks.deregistration),
      ],
      tags: [
        ...launchTags({ ...settings, groupName: fallback?.of ?? settings.groupName }, type, fallback).map((tag) => ({
          ...tag,
          propagateAtLaunch: true,
        })),
        ...(fallback === undefined ? [] : [{ key: tagKeys.fallbackOf, value: fallback.of, propagateAtLaunch: false }]),
        ...(type === undefined || fallback !== undefined
          ? []
          : typeTags(settings, type).map((tag) => ({ ...tag, propagateAtLaunch: false }))),
        ...Object.entries(bakeTags).map(([key, value]) => ({ key, value, propagateAtLaunch: false })),
      ],
    });
    acknowledge(group, {
      AS3: 'alarms and events report what matters; a message for each launch would hide them',
      EC26: 'the rule cannot follow a mixed-instances policy to its launch template, whose volume is encrypted',
    });
    return group;
  }

  #warmPool(pool: { readonly minSize: number; readonly maxPrepared: number }): void {
    new CfnWarmPool(this, 'WarmPool', {
      autoScalingGroupName: this.group.ref,
      minSize: pool.minSize,
      maxGroupPreparedCapacity: pool.maxPrepared,
      poolState: 'Hibernated',
      instanceReusePolicy: { reuseOnScaleIn: false },
    });
  }
}

/** A group propagates its tags to instances alone. EC2 refuses tags for spot requests in a launch that is on-demand. */
const taggedAtLaunch = ['instance', 'volume', 'network-interface'];

const launchTags = (settings: RunnerFleetSettings, type: TypeOfFleet | undefined, fallback: Fallback | undefined) =>
  Object.entries({
    Name: settings.groupName,
    environment: settings.environment,
    ...settings.tags,
    [tagKeys.moduleVersion]: moduleVersion,
    ...(fallback === undefined ? {} : { [tagKeys.fleet]: fallback.fleet }),
    ...(type === undefined ? {} : { [tagKeys.fleet]: type.fleet, [tagKeys.type]: type.name }),
    ...(settings.jobPrivileges.length === 0 ? {} : { [tagKeys.jobPrivileges]: settings.jobPrivileges.join(' ') }),
  }).map(([key, value]) => ({ key, value }));

/** The settings of a type that the functions and commands read. */
const typeTags = (settings: RunnerFleetSettings, type: TypeOfFleet) =>
  Object.entries({
    [tagKeys.labels]: scaleSetLabels(settings).join(' '),
    [tagKeys.idleTarget]: String(settings.idleRunnersTargetCount),
    ...(settings.instanceTypes[0] === undefined ? {} : { [tagKeys.instanceType]: settings.instanceTypes[0] }),
    ...(settings.runnerGroup === undefined ? {} : { [tagKeys.runnerGroup]: settings.runnerGroup }),
    ...(settings.rerunInterruptedJobs ? { [tagKeys.rerunInterrupted]: 'true' } : {}),
    ...(type.otherArchitecture ? { [tagKeys.architecture]: settings.architecture } : {}),
  }).map(([key, value]) => ({ key, value }));

/** On-demand instances take the types in their order, or the cheapest that meets requirements; spot instances whatever is cheap and likely to stay. */
const mixedPolicy = (
  settings: RunnerFleetSettings,
  launchTemplateSpecification: { launchTemplateId: string; version: string },
) => ({
  instancesDistribution:
    settings.spotAboveBase === undefined
      ? { onDemandAllocationStrategy: onDemandStrategy(settings), onDemandPercentageAboveBaseCapacity: 100 }
      : {
          onDemandAllocationStrategy: onDemandStrategy(settings),
          onDemandBaseCapacity: settings.spotAboveBase,
          onDemandPercentageAboveBaseCapacity: settings.onDemandPercentageAboveBase,
          spotAllocationStrategy: 'price-capacity-optimized',
        },
  launchTemplate: {
    launchTemplateSpecification,
    overrides:
      settings.instanceRequirements === undefined
        ? settings.instanceTypes.map((instanceType) => ({ instanceType }))
        : [{ instanceRequirements: requirementsProperty(settings.instanceRequirements) }],
  },
});

/** Requirements have no order: AWS refuses `prioritized` with them. */
const onDemandStrategy = ({ instanceRequirements }: RunnerFleetSettings) =>
  instanceRequirements === undefined ? 'prioritized' : 'lowest-price';

const currentImage = (scope: Construct, parameter: string): string =>
  StringParameter.valueForTypedStringParameterV2(scope, parameter, ParameterValueType.AWS_EC2_IMAGE_ID);
