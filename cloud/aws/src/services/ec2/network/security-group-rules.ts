import type { SecurityGroup, SecurityGroupRule } from '../model.ts';

/** One rule as templates write it; API requests are brought into this form. */
export interface RuleProperties {
  readonly IpProtocol?: string | number;
  readonly FromPort?: number;
  readonly ToPort?: number;
  readonly CidrIp?: string;
  readonly CidrIpv6?: string;
  readonly SourceSecurityGroupId?: string;
  readonly DestinationSecurityGroupId?: string;
  readonly SourcePrefixListId?: string;
  readonly DestinationPrefixListId?: string;
  readonly Description?: string;
}

/** Adds a rule to a group; the group that it names must exist. */
export function addRule(
  network: { securityGroup(id: string): SecurityGroup; newId(prefix: string): string },
  group: SecurityGroup,
  egress: boolean,
  rule: RuleProperties,
): SecurityGroupRule {
  const groupId = egress ? rule.DestinationSecurityGroupId : rule.SourceSecurityGroupId;
  if (groupId !== undefined) network.securityGroup(groupId);
  const added: SecurityGroupRule = {
    id: network.newId('sgr'),
    egress,
    protocol: String(rule.IpProtocol ?? '-1'),
    fromPort: rule.FromPort,
    toPort: rule.ToPort,
    cidr: rule.CidrIp,
    cidrV6: rule.CidrIpv6,
    groupId,
    prefixListId: egress ? rule.DestinationPrefixListId : rule.SourcePrefixListId,
    description: rule.Description,
  };
  group.rules.set(added.id, added);
  return added;
}

/** "By default, a security group includes an outbound rule that allows all outbound traffic": Security group rules. */
export const allowAllOut: RuleProperties = { IpProtocol: '-1', CidrIp: '0.0.0.0/0' };
