import { Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Acknowledges findings of cdk-nag's AwsSolutions pack for a construct and its children, with the reason. Written as `Validations` of newer
 * versions of the CDK writes it: older ones have none, or refuse the colons of wildcards.
 */
export function acknowledge(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  for (const [rule, reason] of Object.entries(reasons))
    construct.node.addMetadata('aws:cdk:acknowledged-rules', { [`Annotation::AwsSolutions-${rule}`]: reason });
}

/** The same for wildcards in policies: `Resource::…` to the reason. With a name that is known only at deployment it cannot be written. */
export function acknowledgeWildcards(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  const known = Object.entries(reasons).filter(([wildcard]) => !Token.isUnresolved(wildcard));
  acknowledge(construct, Object.fromEntries(known.map(([wildcard, reason]) => [`IAM5[${wildcard}]`, reason])));
}

/** For a security group: a range of all addresses, or one that is known only at deployment, was chosen in an input. */
export function acknowledgeRanges(group: IConstruct, ranges: readonly string[]): void {
  const reason = 'the range is an input; clients still have to log in';
  if (ranges.some((range) => Token.isUnresolved(range) || range === '0.0.0.0/0')) acknowledge(group, { EC23: reason });
}
