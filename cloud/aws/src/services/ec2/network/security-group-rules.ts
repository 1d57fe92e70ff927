import { invalidParameter } from '../errors.ts';
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

/** Up to 255 of the characters that EC2 allows. (API Reference, CreateSecurityGroup, GroupDescription; IpRange, Description.) */
export function requireText(name: string, text: string): void {
  if (/^[A-Za-z0-9 ._\-:/()#,@[\]+=&;{}!$*]{0,255}$/.test(text)) return;
  throw invalidParameter(
    `Value (${text}) for parameter ${name} is invalid. Character sets beyond ASCII are not supported, and at most 255 characters are allowed.`,
  );
}

/** TCP and UDP need both ends of a range of ports. */
function requirePorts({ IpProtocol, FromPort, ToPort }: RuleProperties): void {
  const protocol = { 6: 'tcp', 17: 'udp' }[String(IpProtocol)] ?? String(IpProtocol);
  if (protocol !== 'tcp' && protocol !== 'udp') return;
  if (FromPort === undefined || ToPort === undefined)
    throw invalidParameter(`Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.`);
  const [from, to] = [Number(FromPort), Number(ToPort)];
  if (!(from >= 0 && from <= to && to <= 65_535))
    throw invalidParameter(`Invalid ${protocol.toUpperCase()} port range (${from}-${to})`);
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
  requireText('Description', rule.Description ?? '');
  requirePorts(rule);
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
