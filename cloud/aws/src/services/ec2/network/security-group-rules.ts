import { isIPv6 } from 'node:net';
import { ec2Error, invalidParameter } from '../errors.ts';
import type { SecurityGroup, SecurityGroupRule } from '../model.ts';
import { parseCidr } from './cidr.ts';

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

/** A name that EC2 knows, or a protocol number. (API Reference, IpPermission.) */
function requireProtocol(protocol: string): void {
  if (['tcp', 'udp', 'icmp', 'icmpv6', '-1'].includes(protocol)) return;
  if (/^\d+$/.test(protocol) && Number(protocol) <= 255) return;
  throw invalidParameter(`Invalid value '${protocol}' for IP protocol. Unknown protocol.`);
}

function isCidrV6(text: string): boolean {
  const [address = '', prefix = ''] = text.split('/');
  return isIPv6(address) && /^\d{1,3}$/.test(prefix) && Number(prefix) <= 128;
}

/** Exactly one place where the traffic comes from or goes to. Prefix lists are not modelled, so none can be named. */
function requirePlace(rule: SecurityGroupRule): void {
  const { cidr, cidrV6, groupId, prefixListId } = rule;
  const places = [cidr, cidrV6, groupId, prefixListId].filter((place) => place !== undefined);
  if (places.length === 0)
    throw ec2Error(
      'MissingParameter',
      'Missing source specification: include source security group or CIDR information',
    );
  if (places.length > 1)
    throw invalidParameter('Only one of cidrIp, cidrIpv6, a security group or a prefix list may be given.');
  if (cidr !== undefined) parseCidr(cidr);
  if (cidrV6 !== undefined && !isCidrV6(cidrV6)) throw invalidParameter(`CIDR block ${cidrV6} is malformed`);
  if (prefixListId !== undefined)
    throw ec2Error('InvalidPrefixListID.NotFound', `The prefix list ID '${prefixListId}' does not exist`);
}

const samePlace = (a: SecurityGroupRule, b: SecurityGroupRule) =>
  (['egress', 'protocol', 'fromPort', 'toPort', 'cidr', 'cidrV6', 'groupId'] as const).every(
    (part) => a[part] === b[part],
  );

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
  requireProtocol(added.protocol);
  requirePlace(added);
  if ([...group.rules.values()].some((rule) => samePlace(rule, added)))
    throw ec2Error(
      'InvalidPermission.Duplicate',
      `the specified rule "peer: ${added.cidr ?? added.cidrV6 ?? added.groupId}, ${added.protocol}" already exists`,
    );
  group.rules.set(added.id, added);
  return added;
}

/** "By default, a security group includes an outbound rule that allows all outbound traffic": Security group rules. */
export const allowAllOut: RuleProperties = { IpProtocol: '-1', CidrIp: '0.0.0.0/0' };
