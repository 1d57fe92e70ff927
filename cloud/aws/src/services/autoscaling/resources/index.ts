import type { ResourceProvider, ResourceProviders, ResourceRequest } from '../../../account/service.ts';
import type { PutScalingPolicyType, PutWarmPoolType } from '../api.ts';
import type { GroupMetrics } from '../groups/metrics.ts';
import { deletePolicy, putPolicy } from '../scaling/policies.ts';
import type { Scaler } from '../state.ts';
import { deleteWarmPool, putWarmPool } from '../warm-pool/warm-pool-settings.ts';
import { groupProvider } from './auto-scaling-group.ts';

/** Every modelled CloudFormation resource type of Auto Scaling. */
export const autoScalingResources = (scaler: Scaler, metrics: GroupMetrics): ResourceProviders => ({
  'AWS::AutoScaling::AutoScalingGroup': groupProvider(scaler, metrics),
  'AWS::AutoScaling::ScalingPolicy': policyProvider(scaler),
  'AWS::AutoScaling::WarmPool': warmPoolProvider(scaler),
});

/** Numbers that the template's schema writes as text. */
const numeric = (properties: ResourceRequest['properties'], ...names: string[]) =>
  Object.fromEntries(
    names.flatMap((name) => (properties[name] === undefined ? [] : [[name, Number(properties[name])]])),
  );

const policyProvider = (scaler: Scaler): ResourceProvider => {
  const put = (request: ResourceRequest, name: string) => {
    const policy = putPolicy(scaler, scaler.group(request.properties.AutoScalingGroupName), {
      ...request.properties,
      ...numeric(request.properties, 'Cooldown'),
      PolicyName: name,
    } as PutScalingPolicyType);
    return { physicalId: policy.arn, attributes: { Arn: policy.arn, PolicyName: policy.name } };
  };
  return {
    create: (request) => put(request, request.generateName(255)),
    update: (request) => put(request, scaler.policiesByArn.get(request.physicalId)?.name ?? request.generateName(255)),
    delete: ({ physicalId }) => {
      const policy = scaler.policiesByArn.get(physicalId);
      if (policy !== undefined) deletePolicy(scaler, policy);
    },
  };
};

/** Ref is the group's name. */
const warmPoolProvider = (scaler: Scaler): ResourceProvider => {
  const put = ({ properties }: ResourceRequest) => {
    const group = scaler.group(properties.AutoScalingGroupName);
    putWarmPool(scaler, group, {
      MaxGroupPreparedCapacity: -1,
      ...properties,
      ...numeric(properties, 'MinSize', 'MaxGroupPreparedCapacity'),
    } as PutWarmPoolType);
    return { physicalId: group.name };
  };
  return {
    create: put,
    update: put,
    delete: ({ properties }) => {
      const group = scaler.groups.get(properties.AutoScalingGroupName);
      if (group?.warmPool !== undefined) deleteWarmPool(scaler, group, true);
    },
  };
};
