import type { ConnectionSource } from '../../../account/neighbours.ts';
import type { SecurityGroupRule } from '../model.ts';
import { contains } from './cidr.ts';
import type { NetworkModel } from './network.ts';

/**
 * Whether an interface in these security groups lets a TCP connection in: "you can specify allow rules, but not deny
 * rules". (VPC User Guide, "Security groups".)
 */
export const admits = (
  network: NetworkModel,
  securityGroupIds: readonly string[],
  port: number,
  source: ConnectionSource,
): boolean =>
  securityGroupIds.some((id) =>
    [...(network.securityGroups.get(id)?.rules.values() ?? [])].some(
      (rule) => !rule.egress && coversPort(rule, port) && coversSource(rule, source),
    ),
  );

const coversPort = ({ protocol, fromPort, toPort }: SecurityGroupRule, port: number) =>
  protocol === '-1' || (['tcp', '6'].includes(protocol) && port >= (fromPort ?? 0) && port <= (toPort ?? 65_535));

function coversSource(
  { cidr, groupId }: SecurityGroupRule,
  { address, securityGroupIds = [] }: ConnectionSource,
): boolean {
  if (groupId !== undefined) return securityGroupIds.includes(groupId);
  return cidr !== undefined && address !== undefined && contains(cidr, `${address}/32`);
}
