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

/** The rules of one direction as DescribeSecurityGroups groups them. */
export function permissionShapes(group: SecurityGroup, egress: boolean, accountId: string) {
  const byPorts = new Map<string, SecurityGroupRule[]>();
  for (const rule of group.rules.values()) {
    if (rule.egress !== egress) continue;
    const key = `${rule.protocol}/${rule.fromPort}/${rule.toPort}`;
    byPorts.set(key, [...(byPorts.get(key) ?? []), rule]);
  }
  return [...byPorts.values()].map((rules) => permissionShape(rules, accountId));
}

function permissionShape(rules: readonly SecurityGroupRule[], accountId: string) {
  const [{ protocol, fromPort, toPort }] = rules as [SecurityGroupRule];
  const described = (rule: SecurityGroupRule) =>
    rule.description === undefined ? {} : { Description: rule.description };
  return {
    IpProtocol: protocol,
    ...(fromPort === undefined ? {} : { FromPort: fromPort }),
    ...(toPort === undefined ? {} : { ToPort: toPort }),
    IpRanges: rules.flatMap((rule) => (rule.cidr === undefined ? [] : [{ CidrIp: rule.cidr, ...described(rule) }])),
    Ipv6Ranges: rules.flatMap((rule) =>
      rule.cidrV6 === undefined ? [] : [{ CidrIpv6: rule.cidrV6, ...described(rule) }],
    ),
    PrefixListIds: rules.flatMap((rule) =>
      rule.prefixListId === undefined ? [] : [{ PrefixListId: rule.prefixListId, ...described(rule) }],
    ),
    UserIdGroupPairs: rules.flatMap((rule) =>
      rule.groupId === undefined ? [] : [{ GroupId: rule.groupId, UserId: accountId, ...described(rule) }],
    ),
  };
}
