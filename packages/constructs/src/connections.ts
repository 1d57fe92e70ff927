import { Token } from 'aws-cdk-lib';
import { Connections, type Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';

/** The connections that members of a security group accept, to be extended by rules of the user's own. */
export interface GroupConnections {
  readonly securityGroupId: string;
  /** The port that others connect to. */
  readonly defaultPort?: Port;
  /** Whether the group lets its members connect to anything; otherwise a rule is added for each new destination. */
  readonly allowAllOutbound: boolean;
}

/** Connections of a security group that is a resource of the stack. Adds nothing to the template until it is used. */
export function groupConnections(scope: Construct, id: string, group: GroupConnections): Connections {
  const { securityGroupId, defaultPort, allowAllOutbound } = group;
  return new Connections({
    securityGroups: [SecurityGroup.fromSecurityGroupId(scope, id, securityGroupId, { allowAllOutbound })],
    ...(defaultPort === undefined ? {} : { defaultPort }),
  });
}

export const tcp = (port: number, description: string) => ({
  ipProtocol: 'tcp',
  fromPort: port,
  toPort: port,
  description,
});

interface Clients {
  readonly allowedCidrBlocks: readonly string[];
  readonly clientSecurityGroupIds: readonly string[];
}

/** HTTPS from the clients that the inputs name. */
export const fromClients = ({ allowedCidrBlocks, clientSecurityGroupIds }: Clients) => [
  ...allowedCidrBlocks.map((cidrIp) => ({ ...tcp(443, 'HTTPS'), cidrIp })),
  ...clientSecurityGroupIds.map((id) => ({ ...tcp(443, 'HTTPS'), sourceSecurityGroupId: id })),
];

/** The port of a server; a URL that is known only at deployment has the usual one. */
export function portOf(address: string): number {
  const { port, protocol } = new URL(Token.isUnresolved(address) ? 'https://later' : address);
  if (port !== '') return Number(port);
  return protocol === 'http:' ? 80 : 443;
}
