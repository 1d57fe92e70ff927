import type { Operations } from '../../../account/service.ts';
import type { PutScalingPolicyType } from '../api.ts';
import { refuseWhileDeleting } from '../groups/groups.ts';
import { executePolicy, findPolicy, putPolicy } from '../scaling/policies.ts';
import type { Scaler } from '../state.ts';
import { change, onGroup } from './permissions.ts';

interface PolicyInput {
  readonly AutoScalingGroupName?: string;
  readonly PolicyName?: string;
  readonly HonorCooldown?: boolean;
  readonly MetricValue?: number;
  readonly BreachThreshold?: number;
}

/** Scaling policies. */
export const policyOperations = (scaler: Scaler): Operations => ({
  PutScalingPolicy: change(scaler, 'PutScalingPolicy', (group, input: PutScalingPolicyType) => {
    refuseWhileDeleting(group);
    return { PolicyARN: putPolicy(scaler, group, input).arn, Alarms: [] };
  }),
  ExecutePolicy: {
    permissions: (input: PolicyInput) => onPolicy(scaler, 'ExecutePolicy', input),
    run: (input: PolicyInput) => {
      const { MetricValue: metricValue, BreachThreshold: threshold } = input;
      const breach = metricValue === undefined || threshold === undefined ? undefined : { metricValue, threshold };
      const policy = findPolicy(scaler, input.PolicyName, input.AutoScalingGroupName);
      executePolicy(scaler, policy, { honorCooldown: input.HonorCooldown ?? false, breach });
      return {};
    },
  },
});

function onPolicy(scaler: Scaler, action: string, input: PolicyInput) {
  const group = scaler.policiesByArn.get(input.PolicyName ?? '')?.groupName ?? input.AutoScalingGroupName;
  return onGroup(scaler, action, group);
}
