import type {
  DeregisterTargetsCommandInput,
  DescribeListenersCommandInput,
  DescribeLoadBalancerAttributesCommandInput,
  DescribeLoadBalancersCommandInput,
  DescribeTargetGroupsCommandInput,
  DescribeTargetHealthCommandInput,
  RegisterTargetsCommandInput,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { pageOf } from '../../account/paging.ts';
import type { Operations } from '../../account/service.ts';
import { noListener, noLoadBalancer, noTargetGroup, type Target, type TargetGroup, validation } from './model.ts';
import { listenerShape, loadBalancerShape, targetGroupShape, targetHealthShape } from './responses.ts';
import type { Balancers } from './state.ts';
import { deregister, register } from './targets.ts';

const describing = (action: string) => () => [{ action: `elasticloadbalancing:${action}`, resource: '*' }];
const onTargetGroup = (action: string) => (input: { TargetGroupArn?: string | undefined }) => [
  { action: `elasticloadbalancing:${action}`, resource: input.TargetGroupArn ?? '*' },
];
const badMarker = () => validation('The marker is not valid');

/** What operators look at, and the registration of targets by hand. */
export const loadBalancingOperations = (aws: AwsNeighbours, balancers: Balancers): Operations => ({
  DescribeLoadBalancers: {
    permissions: describing('DescribeLoadBalancers'),
    run: (input: DescribeLoadBalancersCommandInput) => {
      const all = selected([...balancers.loadBalancers.values()], input.LoadBalancerArns, input.Names, noLoadBalancer);
      const page = pageOf(all, input.Marker, input.PageSize ?? 400, badMarker);
      return { LoadBalancers: page.items.map((each) => loadBalancerShape(aws, each)), ...next(page.nextToken) };
    },
  },
  DescribeLoadBalancerAttributes: {
    permissions: describing('DescribeLoadBalancerAttributes'),
    run: (input: DescribeLoadBalancerAttributesCommandInput) => {
      const { attributes } = balancers.loadBalancer(input.LoadBalancerArn);
      return { Attributes: Object.entries(attributes).map(([Key, Value]) => ({ Key, Value })) };
    },
  },
  DescribeListeners: {
    permissions: describing('DescribeListeners'),
    run: (input: DescribeListenersCommandInput) => {
      if (input.LoadBalancerArn !== undefined) balancers.loadBalancer(input.LoadBalancerArn);
      const ours = [...balancers.listeners.values()].filter(
        ({ loadBalancerArn }) => input.LoadBalancerArn === undefined || loadBalancerArn === input.LoadBalancerArn,
      );
      return { Listeners: selected(ours, input.ListenerArns, undefined, noListener).map(listenerShape) };
    },
  },
  DescribeTargetGroups: {
    permissions: describing('DescribeTargetGroups'),
    run: (input: DescribeTargetGroupsCommandInput) => {
      const all = selected([...balancers.targetGroups.values()], input.TargetGroupArns, input.Names, noTargetGroup);
      const usedBy = (group: TargetGroup) => balancers.usersOf(group.arn).map(({ arn }) => arn);
      const wanted = input.LoadBalancerArn;
      const shown = all.filter((group) => wanted === undefined || usedBy(group).includes(wanted));
      return { TargetGroups: shown.map((group) => targetGroupShape(group, usedBy(group))) };
    },
  },
  DescribeTargetHealth: {
    permissions: describing('DescribeTargetHealth'),
    run: (input: DescribeTargetHealthCommandInput) => {
      const group = balancers.targetGroup(input.TargetGroupArn);
      const asked = input.Targets?.map(({ Id }) => Id);
      const shown = [...group.targets.values()].filter(({ id }: Target) => asked?.includes(id) ?? true);
      return { TargetHealthDescriptions: shown.map((target) => targetHealthShape(group, target)) };
    },
  },
  RegisterTargets: {
    permissions: onTargetGroup('RegisterTargets'),
    run: (input: RegisterTargetsCommandInput) => {
      const group = balancers.targetGroup(input.TargetGroupArn);
      for (const { Id, Port } of input.Targets ?? []) register(aws, group, Id ?? '', Port);
      return {};
    },
  },
  DeregisterTargets: {
    permissions: onTargetGroup('DeregisterTargets'),
    run: (input: DeregisterTargetsCommandInput) => {
      const group = balancers.targetGroup(input.TargetGroupArn);
      for (const { Id, Port } of input.Targets ?? []) deregister(aws, group, Id ?? '', Port);
      return {};
    },
  },
});

/** Those that are named, all of them when none is; an unknown name is an error. */
function selected<T extends { readonly arn: string; readonly name?: string }>(
  all: readonly T[],
  arns: readonly string[] | undefined,
  names: readonly string[] | undefined,
  missing: () => Error,
): T[] {
  const wanted = [...(arns ?? []), ...(names ?? [])];
  if (wanted.length === 0) return [...all];
  return wanted.map((one) => {
    const item = all.find(({ arn, name }) => arn === one || name === one);
    if (item === undefined) throw missing();
    return item;
  });
}

const next = (marker: string | undefined) => (marker === undefined ? {} : { NextMarker: marker });
