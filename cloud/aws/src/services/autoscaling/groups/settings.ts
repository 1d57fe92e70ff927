import { globalArn } from '../../../account/arn.ts';
import { AwsError } from '../../../account/errors.ts';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type {
  CreateAutoScalingGroupType,
  LaunchTemplateSpecification,
  MixedInstancesPolicy,
  UpdateAutoScalingGroupType,
} from '../api.ts';
import { validationError } from '../errors.ts';
import type { Group, GroupSettings, LaunchSource, TemplateReference } from '../model.ts';
import { checkRequirements } from './instance-requirements.ts';

type Request = CreateAutoScalingGroupType | UpdateAutoScalingGroupType;

const terminationPolicies = [
  'Default',
  'OldestInstance',
  'NewestInstance',
  'OldestLaunchTemplate',
  'OldestLaunchConfiguration',
  'ClosestToNextInstanceHour',
];

/** The settings of a new group. */
export function newSettings(aws: AwsNeighbours, request: CreateAutoScalingGroupType): GroupSettings {
  const minSize = request.MinSize ?? 0;
  const source = launchSource(aws, request);
  if (source === undefined)
    throw validationError(
      'Valid requests must contain either launchTemplate, launchConfigurationName, mixedInstancesPolicy or instanceId parameter.',
    );
  const settings: GroupSettings = {
    minSize,
    maxSize: request.MaxSize ?? 0,
    desiredCapacity: request.DesiredCapacity ?? minSize,
    source,
    ...subnetsOf(aws, request)!,
    defaultCooldownSeconds: request.DefaultCooldown ?? 300,
    defaultInstanceWarmupSeconds: warmup(request),
    healthCheckType: healthCheckTypeOf(request) ?? 'EC2',
    healthCheckGracePeriodSeconds: request.HealthCheckGracePeriod ?? 0,
    terminationPolicies: policiesOf(request) ?? ['Default'],
    newInstancesProtectedFromScaleIn: request.NewInstancesProtectedFromScaleIn ?? false,
    capacityRebalance: request.CapacityRebalance ?? false,
    maxInstanceLifetimeSeconds: lifetimeOf(request),
    maintenancePolicy: maintenanceOf(request),
    lifecyclePolicy: request.InstanceLifecyclePolicy,
    serviceLinkedRoleArn:
      request.ServiceLinkedRoleARN ??
      globalArn(aws, 'iam', 'role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling'),
    context: request.Context,
    desiredCapacityType: request.DesiredCapacityType,
  };
  checkSizes(settings);
  return settings;
}

/** The settings of a group after an update; the desired capacity is moved into new bounds where the request does not name one. */
export function updatedSettings(aws: AwsNeighbours, group: Group, request: UpdateAutoScalingGroupType): GroupSettings {
  const minSize = request.MinSize ?? group.minSize;
  const maxSize = request.MaxSize ?? group.maxSize;
  const settings: GroupSettings = {
    minSize,
    maxSize,
    desiredCapacity: request.DesiredCapacity ?? Math.min(Math.max(group.desiredCapacity, minSize), maxSize),
    source: launchSource(aws, request) ?? group.source,
    ...(subnetsOf(aws, request, false) ?? { subnetIds: group.subnetIds, zones: group.zones }),
    defaultCooldownSeconds: request.DefaultCooldown ?? group.defaultCooldownSeconds,
    defaultInstanceWarmupSeconds:
      request.DefaultInstanceWarmup === undefined ? group.defaultInstanceWarmupSeconds : warmup(request),
    healthCheckType: healthCheckTypeOf(request) ?? group.healthCheckType,
    healthCheckGracePeriodSeconds: request.HealthCheckGracePeriod ?? group.healthCheckGracePeriodSeconds,
    terminationPolicies: policiesOf(request) ?? group.terminationPolicies,
    newInstancesProtectedFromScaleIn:
      request.NewInstancesProtectedFromScaleIn ?? group.newInstancesProtectedFromScaleIn,
    capacityRebalance: request.CapacityRebalance ?? group.capacityRebalance,
    maxInstanceLifetimeSeconds:
      request.MaxInstanceLifetime === undefined ? group.maxInstanceLifetimeSeconds : lifetimeOf(request),
    maintenancePolicy:
      request.InstanceMaintenancePolicy === undefined ? group.maintenancePolicy : maintenanceOf(request),
    lifecyclePolicy: request.InstanceLifecyclePolicy ?? group.lifecyclePolicy,
    serviceLinkedRoleArn: request.ServiceLinkedRoleARN ?? group.serviceLinkedRoleArn,
    context: request.Context ?? group.context,
    desiredCapacityType: request.DesiredCapacityType ?? group.desiredCapacityType,
  };
  checkSizes(settings);
  return settings;
}

function checkSizes({ minSize, maxSize, desiredCapacity }: GroupSettings): void {
  if (minSize < 0 || maxSize < 0) throw validationError('Min and max size must be greater than or equal to 0');
  if (maxSize < minSize)
    throw validationError(`Max bound, ${maxSize}, must be greater than or equal to min bound, ${minSize}`);
  if (desiredCapacity < minSize || desiredCapacity > maxSize)
    throw validationError(
      `Desired capacity:${desiredCapacity} must be between the specified min size:${minSize} and max size:${maxSize}`,
    );
}

/** Looks the launch template up, as AWS does, so that a group never begins with one that is missing. */
export function launchSource(
  aws: AwsNeighbours,
  request: Pick<Request, 'LaunchTemplate' | 'MixedInstancesPolicy'>,
): LaunchSource | undefined {
  const { LaunchTemplate, MixedInstancesPolicy } = request;
  if (LaunchTemplate !== undefined && MixedInstancesPolicy !== undefined)
    throw validationError(
      'Valid requests must contain either launchTemplate, launchConfigurationName, mixedInstancesPolicy or instanceId parameter.',
    );
  if (MixedInstancesPolicy !== undefined) return mixedSource(aws, MixedInstancesPolicy);
  return LaunchTemplate === undefined
    ? undefined
    : { template: templateReference(aws, LaunchTemplate), mixed: undefined };
}

function mixedSource(aws: AwsNeighbours, policy: MixedInstancesPolicy): LaunchSource {
  const specification = policy.LaunchTemplate?.LaunchTemplateSpecification;
  if (specification === undefined)
    throw validationError('You must specify a launch template in the mixed instances policy.');
  const overrides = policy.LaunchTemplate?.Overrides ?? [];
  for (const override of overrides)
    for (const name of ['WeightedCapacity', 'LaunchTemplateSpecification', 'ImageId'] as const)
      if (override[name] !== undefined)
        throw validationError(`the embedded cloud does not model the override ${name} of mixed instances policies`);
  checkRequirements(policy);
  const template = templateReference(aws, specification);
  return { template, mixed: { overrides, distribution: policy.InstancesDistribution ?? {}, policy } };
}

function templateReference(aws: AwsNeighbours, specification: LaunchTemplateSpecification): TemplateReference {
  try {
    const version = specification.Version ?? '$Default';
    const { LaunchTemplateId, LaunchTemplateName } = specification;
    const { id, name } = aws.ec2.launchTemplate({ id: LaunchTemplateId, name: LaunchTemplateName }, version);
    return { id, name, version };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    throw validationError(`You must use a valid fully-formed launch template. ${error.message}`);
  }
}

function subnetsOf(
  aws: AwsNeighbours,
  request: Request,
  required = true,
): Pick<GroupSettings, 'subnetIds' | 'zones'> | undefined {
  const named = (request.VPCZoneIdentifier ?? '').split(',').flatMap((id) => id.trim() || []);
  const subnetIds = named.length > 0 ? named : aws.ec2.defaultSubnets(request.AvailabilityZones ?? []);
  if (subnetIds.length === 0) {
    if (required) throw validationError('At least one Availability Zone or VPC Subnet is required.');
    return undefined;
  }
  const zones = new Set(subnetIds.map((id) => zoneOf(aws, id)));
  for (const zone of request.AvailabilityZones ?? [])
    if (!zones.has(zone))
      throw validationError('The availability zones of the specified subnets and the AutoScalingGroup do not match');
  return { subnetIds, zones: [...zones] };
}

function zoneOf(aws: AwsNeighbours, subnetId: string): string {
  try {
    return aws.ec2.zoneOfSubnet(subnetId);
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    throw validationError(`${error.message}.`);
  }
}

function policiesOf(request: Request): readonly string[] | undefined {
  const { TerminationPolicies: given } = request;
  if (given === undefined || given.length === 0) return undefined;
  const unknown = given.find((policy) => !terminationPolicies.includes(policy));
  if (unknown !== undefined) throw validationError(`TerminationPolicies contains an unsupported policy: ${unknown}`);
  return given;
}

/** EC2 checks are always on; ELB checks are modelled, those of volumes and lattices are not. */
function healthCheckTypeOf(request: Request): string | undefined {
  const unknown = request.HealthCheckType?.split(',').find((type) => type !== 'EC2' && type !== 'ELB');
  if (unknown !== undefined)
    throw validationError(`the embedded cloud does not model health checks of type ${unknown}`);
  return request.HealthCheckType;
}

/** "A value of -1" removes the default warmup. */
function warmup(request: Request): number | undefined {
  const seconds = request.DefaultInstanceWarmup;
  return seconds === undefined || seconds < 0 ? undefined : seconds;
}

/** "The maximum value is 365 days (31536000 seconds), the minimum 1 day (86400); 0 clears it": Maximum instance lifetime. */
function lifetimeOf(request: Request): number | undefined {
  const seconds = request.MaxInstanceLifetime;
  if (seconds === undefined || seconds === 0) return undefined;
  if (seconds < 86_400 || seconds > 31_536_000)
    throw validationError('MaxInstanceLifetime must be 0 or between 86400 and 31536000 seconds');
  return seconds;
}

/** Minimum 0 to 100, maximum 100 to 200, at most 100 apart; -1 for both removes the policy: Instance maintenance policy limits. */
function maintenanceOf(request: Request): GroupSettings['maintenancePolicy'] {
  const policy = request.InstanceMaintenancePolicy;
  if (policy === undefined) return undefined;
  const { MinHealthyPercentage: least = -1, MaxHealthyPercentage: most = -1 } = policy;
  if (least === -1 && most === -1) return undefined;
  if (least < 0 || least > 100 || most < 100 || most > 200 || most - least > 100)
    throw validationError(
      'MinHealthyPercentage must be between 0 and 100, MaxHealthyPercentage between 100 and 200, and they must not be more than 100 apart.',
    );
  return policy;
}
