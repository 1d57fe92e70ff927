import type {
  DeregisterTargetsCommandInput,
  DescribeTargetHealthCommandInput,
  RegisterTargetsCommandInput,
  TargetDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { Operations, Permission } from '../../account/service.ts';
import { invalidTarget, type Target, type TargetGroup, targetKey, validation } from './model.ts';
import type { Balancers } from './state.ts';
import { deregister, register } from './targets.ts';

/** RegisterTargets, DeregisterTargets, DescribeTargetHealth. (API Reference of Elastic Load Balancing, 2015-12-01.) */
export const targetOperations = (aws: AwsNeighbours, balancers: Balancers): Operations => ({
  RegisterTargets: {
    permissions: (input: RegisterTargetsCommandInput) => onGroup(balancers, 'RegisterTargets', input.TargetGroupArn),
    run: ({ TargetGroupArn, Targets }: RegisterTargetsCommandInput) => {
      const group = balancers.targetGroup(TargetGroupArn);
      const given = Targets ?? [];
      if (group.targetType === 'instance') for (const { Id } of given) requireInstance(aws, Id!);
      for (const { Id, Port, AvailabilityZone } of given) {
        refuseZone(AvailabilityZone);
        register(aws, group, Id!, Port);
      }
      return {};
    },
  },
  DeregisterTargets: {
    permissions: (input: DeregisterTargetsCommandInput) =>
      onGroup(balancers, 'DeregisterTargets', input.TargetGroupArn),
    /** "If the specified target does not exist, the action returns successfully." */
    run: ({ TargetGroupArn, Targets }: DeregisterTargetsCommandInput) => {
      const group = balancers.targetGroup(TargetGroupArn);
      for (const { Id, Port } of Targets ?? []) deregister(aws, group, Id!, Port);
      return {};
    },
  },
  DescribeTargetHealth: {
    /** No resource-level permissions. (Service Authorization Reference, "AWS Elastic Load Balancing V2".) */
    permissions: () => [{ action: 'elasticloadbalancing:DescribeTargetHealth', resource: '*' }],
    run: ({ TargetGroupArn, Targets }: DescribeTargetHealthCommandInput) => {
      const group = balancers.targetGroup(TargetGroupArn);
      return { TargetHealthDescriptions: Targets === undefined ? all(group) : Targets.map((one) => named(group, one)) };
    },
  },
});

/** Both change targets of one group, whose tags a policy may ask for. */
function onGroup(balancers: Balancers, operation: string, arn: string | undefined): readonly Permission[] {
  const tags = Object.entries(balancers.targetGroups.get(arn ?? '')?.tags ?? {});
  const context = Object.fromEntries(tags.map(([key, value]) => [`aws:ResourceTag/${key}`, value]));
  return [{ action: `elasticloadbalancing:${operation}`, resource: arn ?? '*', context }];
}

function requireInstance(aws: AwsNeighbours, id: string): void {
  if (!aws.ec2.instances.has(id)) throw invalidTarget(`The following targets do not exist: '${id}'`);
}

function refuseZone(zone: string | undefined): void {
  if (zone !== undefined) throw validation('the embedded cloud does not model the zone of a target');
}

const all = (group: TargetGroup) => [...group.targets.values()].map((target) => description(group, target));

/** A target that is asked for by its id and is not registered is `unused`. */
function named(group: TargetGroup, { Id, Port = group.port }: TargetDescription) {
  const target = group.targets.get(targetKey(Id!, Port));
  if (target !== undefined) return description(group, target);
  const TargetHealth = {
    State: 'unused',
    Reason: 'Target.NotRegistered',
    Description: 'Target is not registered to the target group',
  };
  return { Target: { Id, Port }, HealthCheckPort: healthPort(group, Port), TargetHealth };
}

const description = (group: TargetGroup, { id, port, state, reason, description: text }: Target) => ({
  Target: { Id: id, Port: port },
  HealthCheckPort: healthPort(group, port),
  TargetHealth: {
    State: state,
    ...(reason === undefined ? {} : { Reason: reason }),
    ...(text === undefined ? {} : { Description: text }),
  },
});

const healthPort = ({ healthCheck: { port } }: TargetGroup, own: number) =>
  port === 'traffic-port' ? String(own) : port;
