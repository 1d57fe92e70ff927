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
