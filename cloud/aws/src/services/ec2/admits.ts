import { contains } from './cidr.ts';
import type { SecurityGroupRule } from './model.ts';
import type { NetworkModel } from './network.ts';

/** Where a connection comes from. */
export interface Source {
  readonly address?: string;
  readonly securityGroupIds?: readonly string[];
}

/**
 * Whether an interface in these security groups lets a TCP connection in: "you can specify allow rules, but not deny
 * rules". (VPC User Guide, "Security groups".)
 */
export const admits = (
  network: NetworkModel,
  securityGroupIds: readonly string[],
  port: number,
  source: Source,
): boolean =>
  securityGroupIds.some((id) =>
    [...(network.securityGroups.get(id)?.rules.values() ?? [])].some(
      (rule) => !rule.egress && coversPort(rule, port) && coversSource(rule, source),
    ),
  );

const coversPort = ({ protocol, fromPort, toPort }: SecurityGroupRule, port: number) =>
  protocol === '-1' || (['tcp', '6'].includes(protocol) && port >= (fromPort ?? 0) && port <= (toPort ?? 65_535));

function coversSource({ cidr, groupId }: SecurityGroupRule, { address, securityGroupIds = [] }: Source): boolean {
  if (groupId !== undefined) return securityGroupIds.includes(groupId);
  return cidr !== undefined && address !== undefined && contains(cidr, `${address}/32`);
}
