import { compilePolicy, type Policy } from '../policy/document.ts';
import table from './aws-managed-policies.json' with { type: 'json' };

/**
 * The policies of AWS that templates refer to by ARN, limited to what they allow on every resource.
 * Source of each: its page in the "AWS Managed Policy Reference Guide".
 */
const actions: Readonly<Record<string, readonly string[]>> = table;

/** Everywhere, except where the reference guide names resources: CloudWatchAgentServerPolicy may read its own parameters. */
const extraStatements: Readonly<Record<string, readonly object[]>> = {
  CloudWatchAgentServerPolicy: [
    { Effect: 'Allow', Action: 'ssm:GetParameter', Resource: 'arn:aws:ssm:*:*:parameter/AmazonCloudWatch-*' },
  ],
};

const compiled = new Map<string, Policy>();

/** The policy of AWS with this ARN, undefined when the embedded cloud does not know it. */
export function awsManagedPolicy(policyArn: string): Policy | undefined {
  const name = policyArn.replace('arn:aws:iam::aws:policy/', '');
  if (compiled.has(name)) return compiled.get(name);
  if (actions[name] === undefined) return undefined;
  const policy = compilePolicy(awsManagedPolicyDocument(name), 'identity');
  compiled.set(name, policy);
  return policy;
}

const awsManagedPolicyDocument = (name: string) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: actions[name], Resource: '*' }, ...(extraStatements[name] ?? [])],
});

export const isAwsManaged = (policyArn: string): boolean => policyArn.startsWith('arn:aws:iam::aws:policy/');

/** Listed in the error about a template that refers to a policy of AWS outside of the table. */
export const knownAwsManagedPolicies: readonly string[] = Object.keys(actions);
