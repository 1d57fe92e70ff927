import type { ResourceProperties, ResourceProvider, ResourceRequest } from '../../../account/service.ts';
import { ec2Error } from '../errors.ts';
import type { SecurityGroup } from '../model.ts';
import { addRule, allowAllOut, type RuleProperties } from '../network/security-group-rules.ts';
import type { Ec2State } from '../state.ts';
import { tagsOf } from './tags.ts';

/** AWS::EC2::SecurityGroup. */
export const securityGroupProvider = (ec2: Ec2State): ResourceProvider => ({
  create: (request) => {
    const { properties } = request;
    const group = ec2.network.createSecurityGroup({
      name: properties.GroupName ?? request.generateName(255),
      description: properties.GroupDescription,
      vpcId: properties.VpcId ?? ec2.network.defaultVpc?.id ?? '',
      tags: tagsOf(request),
    });
    addInlineRules(ec2, group, properties);
    return stateOf(group);
  },
  update: (request) => {
    const group = ec2.network.securityGroup(request.physicalId);
    // Rules of separate Ingress and Egress resources stay: only those written inline before are taken out.
    for (const id of inlineRules.get(group) ?? []) group.rules.delete(id);
    addInlineRules(ec2, group, request.properties);
    group.tags = tagsOf(request);
    return stateOf(group);
  },
  delete: (request) => {
    refuseWhileUsed(ec2, request.physicalId);
    ec2.network.remove(ec2.network.securityGroups, request.physicalId);
  },
});

const inlineRules = new WeakMap<SecurityGroup, string[]>();

function addInlineRules(ec2: Ec2State, group: SecurityGroup, properties: ResourceProperties): void {
  const ingress = (properties.SecurityGroupIngress ?? []) as readonly RuleProperties[];
  const egress = (properties.SecurityGroupEgress ?? [allowAllOut]) as readonly RuleProperties[];
  inlineRules.set(group, [
    ...ingress.map((rule) => addRule(ec2.network, group, false, rule).id),
    ...egress.map((rule) => addRule(ec2.network, group, true, rule).id),
  ]);
}

const stateOf = (group: SecurityGroup) => ({
  physicalId: group.id,
  attributes: { GroupId: group.id, Id: group.id, VpcId: group.vpcId },
});

function refuseWhileUsed(ec2: Ec2State, groupId: string): void {
  if ((ec2.heldGroups.get(groupId) ?? 0) > ec2.aws.engine.clock.now())
    throw ec2Error('DependencyViolation', `resource ${groupId} has a dependent object`);
  for (const instance of ec2.instances.values())
    if (instance.state !== 'terminated' && instance.securityGroupIds.includes(groupId))
      throw ec2Error('DependencyViolation', `resource ${groupId} has a dependent object`);
  for (const group of ec2.network.securityGroups.values())
    for (const rule of group.rules.values())
      if (group.id !== groupId && rule.groupId === groupId)
        throw ec2Error('DependencyViolation', `resource ${groupId} has a dependent object`);
}

/** AWS::EC2::SecurityGroupIngress and AWS::EC2::SecurityGroupEgress. */
export const securityGroupRuleProvider = (ec2: Ec2State, egress: boolean): ResourceProvider => ({
  create: (request) => {
    const group = groupOf(ec2, request);
    const rule = addRule(ec2.network, group, egress, request.properties as RuleProperties);
    return { physicalId: rule.id, attributes: { Id: rule.id } };
  },
  delete: (request) => {
    ec2.network.securityGroups.get(request.properties.GroupId)?.rules.delete(request.physicalId);
  },
});

function groupOf(ec2: Ec2State, request: ResourceRequest): SecurityGroup {
  return ec2.network.securityGroup(request.properties.GroupId);
}
