import type { Operations } from '../../../account/service.ts';
import type { PutScalingPolicyType, PutScheduledUpdateGroupActionType } from '../api.ts';
import { refuseWhileDeleting } from '../groups/groups.ts';
import type { Group, ScalingPolicyRecord, ScheduledActionRecord } from '../model.ts';
import { page } from '../paging.ts';
import { deletePolicy, executePolicy, findPolicy, putPolicy } from '../scaling/policies.ts';
import { deleteScheduledAction, putScheduledAction } from '../scaling/scheduled-actions.ts';
import type { Scaler } from '../state.ts';
import { change, onGroup, read } from './permissions.ts';

interface PolicyInput {
  readonly AutoScalingGroupName?: string;
  readonly PolicyName?: string;
  readonly HonorCooldown?: boolean;
  readonly MetricValue?: number;
  readonly BreachThreshold?: number;
}

interface DescribeInput {
  readonly AutoScalingGroupName?: string;
  readonly PolicyNames?: readonly string[];
  readonly PolicyTypes?: readonly string[];
  readonly ScheduledActionNames?: readonly string[];
  readonly NextToken?: string;
  readonly MaxRecords?: number;
}

/** Scaling policies and scheduled actions. */
export const policyOperations = (scaler: Scaler): Operations => ({
  PutScalingPolicy: change(scaler, 'PutScalingPolicy', (group, input: PutScalingPolicyType) => {
    refuseWhileDeleting(group);
    return { PolicyARN: putPolicy(scaler, group, input).arn, Alarms: [] };
  }),
  DeletePolicy: {
    permissions: (input: PolicyInput) => onPolicy(scaler, 'DeletePolicy', input),
    run: (input: PolicyInput) => {
      deletePolicy(scaler, findPolicy(scaler, input.PolicyName, input.AutoScalingGroupName));
      return {};
    },
  },
  DescribePolicies: read('DescribePolicies', (input: DescribeInput) => {
    const policies = groupsOf(scaler, input).flatMap((group) => [...group.policies.values()]);
    const wanted = policies.filter((policy) => isWanted(policy, input));
    const { items, ...next } = page(wanted, input, { standard: 50, most: 100 });
    return { ScalingPolicies: items.map(policyShape), ...next };
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
  PutScheduledUpdateGroupAction: change(
    scaler,
    'PutScheduledUpdateGroupAction',
    (group, input: PutScheduledUpdateGroupActionType) => {
      putScheduledAction(scaler, group, input);
      return {};
    },
  ),
  DeleteScheduledAction: change(
    scaler,
    'DeleteScheduledAction',
    (group, input: { readonly AutoScalingGroupName: string | undefined; readonly ScheduledActionName?: string }) => {
      deleteScheduledAction(group, input.ScheduledActionName);
      return {};
    },
  ),
  DescribeScheduledActions: read('DescribeScheduledActions', (input: DescribeInput) => {
    const names = input.ScheduledActionNames ?? [];
    const actions = groupsOf(scaler, input).flatMap((group) =>
      [...group.scheduledActions.values()]
        .filter((action) => names.length === 0 || names.includes(action.name))
        .map((action) => scheduledShape(group, action)),
    );
    const { items, ...next } = page(actions, input, { standard: 50, most: 100 });
    return { ScheduledUpdateGroupActions: items, ...next };
  }),
});

function onPolicy(scaler: Scaler, action: string, input: PolicyInput) {
  const group = scaler.policiesByArn.get(input.PolicyName ?? '')?.groupName ?? input.AutoScalingGroupName;
  return onGroup(scaler, action, group);
}

const groupsOf = (scaler: Scaler, input: DescribeInput): Group[] =>
  input.AutoScalingGroupName === undefined ? [...scaler.groups.values()] : [scaler.group(input.AutoScalingGroupName)];

function isWanted(policy: ScalingPolicyRecord, input: DescribeInput): boolean {
  const names = input.PolicyNames ?? [];
  const types = input.PolicyTypes ?? [];
  const named = names.length === 0 || names.includes(policy.name) || names.includes(policy.arn);
  return named && (types.length === 0 || types.includes(policy.type));
}

const policyShape = (policy: ScalingPolicyRecord) => ({
  AutoScalingGroupName: policy.groupName,
  PolicyName: policy.name,
  PolicyARN: policy.arn,
  PolicyType: policy.type,
  AdjustmentType: policy.adjustmentType,
  ...(policy.scalingAdjustment === undefined ? {} : { ScalingAdjustment: policy.scalingAdjustment }),
  ...(policy.minAdjustmentMagnitude === undefined ? {} : { MinAdjustmentMagnitude: policy.minAdjustmentMagnitude }),
  ...(policy.cooldownSeconds === undefined ? {} : { Cooldown: policy.cooldownSeconds }),
  StepAdjustments: [...policy.steps],
  ...(policy.type === 'StepScaling' ? { MetricAggregationType: policy.metricAggregationType ?? 'Average' } : {}),
  ...(policy.warmupSeconds === undefined ? {} : { EstimatedInstanceWarmup: policy.warmupSeconds }),
  Alarms: [],
  Enabled: policy.enabled,
});

const date = (ms: number | undefined, key: string) => (ms === undefined ? {} : { [key]: new Date(ms) });

const scheduledShape = (group: Group, action: ScheduledActionRecord) => ({
  AutoScalingGroupName: group.name,
  ScheduledActionName: action.name,
  ScheduledActionARN: action.arn,
  ...date(action.nextAt, 'Time'),
  ...date(action.nextAt, 'StartTime'),
  ...date(action.endTime, 'EndTime'),
  ...(action.recurrence === undefined ? {} : { Recurrence: action.recurrence }),
  ...(action.minSize === undefined ? {} : { MinSize: action.minSize }),
  ...(action.maxSize === undefined ? {} : { MaxSize: action.maxSize }),
  ...(action.desiredCapacity === undefined ? {} : { DesiredCapacity: action.desiredCapacity }),
  ...(action.timeZone === undefined ? {} : { TimeZone: action.timeZone }),
});
