import type { ResourceProperties } from '../../../account/service.ts';
import type { CreateAutoScalingGroupType } from '../api.ts';

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
  const request: Record<string, unknown> = { AutoScalingGroupName: name };
  for (const [key, value] of Object.entries(properties)) if (!handled.includes(key)) request[key] = value;
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
