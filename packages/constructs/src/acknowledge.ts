import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Says at a construct, and for what is below it, why findings of cdk-nag's AwsSolutions pack are as they should be. */
export function acknowledge(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  for (const [rule, reason] of Object.entries(reasons))
    Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
}

/** The same for wildcards in policies: `Resource::…` to the reason. */
export function acknowledgeWildcards(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  const named = Object.entries(reasons).map(([wildcard, reason]) => [`IAM5[${wildcard}]`, reason]);
  acknowledge(construct, Object.fromEntries(named) as Record<string, string>);
}
