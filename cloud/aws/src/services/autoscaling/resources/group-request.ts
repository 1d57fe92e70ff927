import type { ResourceProperties } from '../../../account/service.ts';
import type { CreateAutoScalingGroupType } from '../api.ts';
import { validationError } from '../errors.ts';

/** Properties of AWS::AutoScaling::AutoScalingGroup that go into the API request unchanged. */
const same = [
  'LaunchTemplate',
  'MixedInstancesPolicy',
  'LaunchConfigurationName',
  'InstanceId',
  'AvailabilityZones',
  'AvailabilityZoneIds',
  'AvailabilityZoneDistribution',
  'AvailabilityZoneImpairmentPolicy',
  'CapacityRebalance',
  'CapacityReservationSpecification',
  'Context',
  'DefaultInstanceWarmup',
  'DeletionProtection',
  'DesiredCapacityType',
  'HealthCheckGracePeriod',
  'HealthCheckType',
  'InstanceLifecyclePolicy',
  'InstanceMaintenancePolicy',
  'LoadBalancerNames',
  'MaxInstanceLifetime',
  'NewInstancesProtectedFromScaleIn',
  'PlacementGroup',
  'ServiceLinkedRoleARN',
  'TargetGroupARNs',
  'TerminationPolicies',
  'TrafficSources',
] as const;

/** Handled elsewhere: hooks at creation, metrics and tags by their own calls. */
const handled = [
  'AutoScalingGroupName',
  'MinSize',
  'MaxSize',
  'DesiredCapacity',
  'Cooldown',
  'VPCZoneIdentifier',
  'LifecycleHookSpecificationList',
  'MetricsCollection',
  'Tags',
];

/** The API request for a group as a template describes it: sizes and cooldown are text there, subnets a list. */
export function groupRequest(properties: ResourceProperties, name: string): CreateAutoScalingGroupType {
  refuseUnknown(properties);
  const request: Record<string, unknown> = { AutoScalingGroupName: name };
  for (const key of same) if (properties[key] !== undefined) request[key] = properties[key];
  const numbers = {
    MinSize: 'MinSize',
    MaxSize: 'MaxSize',
    DesiredCapacity: 'DesiredCapacity',
    Cooldown: 'DefaultCooldown',
  };
  for (const [property, member] of Object.entries(numbers))
    if (properties[property] !== undefined) request[member] = Number(properties[property]);
  if (properties.VPCZoneIdentifier !== undefined) request.VPCZoneIdentifier = properties.VPCZoneIdentifier.join(',');
  return request as unknown as CreateAutoScalingGroupType;
}

function refuseUnknown(properties: ResourceProperties): void {
  const known = new Set<string>([...same, ...handled]);
  for (const [name, value] of Object.entries(properties))
    if (!known.has(name) && value !== undefined)
      throw validationError(
        `the embedded cloud does not model the property ${name} of AWS::AutoScaling::AutoScalingGroup`,
      );
}
