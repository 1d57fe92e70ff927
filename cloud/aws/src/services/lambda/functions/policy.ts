import { AwsError } from '../../../account/errors.ts';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import { type LambdaFunction, latest, type PolicyStatement } from '../model.ts';
import type { Functions } from '../state.ts';

/** Who invokes a function on behalf of a service. */
interface InvocationOrigin {
  readonly principal: string;
  readonly sourceArn?: string;
}

/** Custom resources are invoked with the permissions of whoever deploys the stack, not by a service principal. */
const cloudFormation = 'cloudformation.amazonaws.com';

/** Policies are kept per version or alias; the function itself is the empty key. */
export const policyKey = (qualifier: string | undefined) =>
  qualifier === undefined || qualifier === latest ? '' : qualifier;

/** Lets IAM find the resource policies of functions. */
export function registerPolicies(aws: AwsNeighbours, functions: Functions): void {
  aws.iam.registerResourcePolicies('lambda', (resource) => {
    const { name, qualifier } = functions.parse(resource);
    const document = functions.all.get(name)?.policies.get(policyKey(qualifier));
    return document && { document };
  });
}

/**
 * A service may invoke a function only with a statement in the function's resource policy.
 * (Developer Guide, "Working with resource-based IAM policies in Lambda".)
 */
export function requirePermission(
  aws: AwsNeighbours,
  fn: LambdaFunction,
  qualifier: string | undefined,
  origin: InvocationOrigin,
) {
  if (!origin.principal.endsWith('.amazonaws.com') || origin.principal === cloudFormation) return;
  const key = policyKey(qualifier);
  const source: Record<string, string> = origin.sourceArn === undefined ? {} : { 'aws:SourceArn': origin.sourceArn };
  const permission = {
    action: 'lambda:InvokeFunction',
    resource: key === '' ? fn.arn : `${fn.arn}:${key}`,
    context: { 'aws:SourceAccount': aws.accountId, ...source },
  };
  if (aws.iam.serviceMay(origin.principal, permission)) return;
  throw new AwsError(
    'AccessDeniedException',
    `${origin.principal} is not authorized to perform: lambda:InvokeFunction on resource: ${permission.resource} because no resource-based policy allows the lambda:InvokeFunction action`,
    403,
  );
}

export const statementsOf = (fn: LambdaFunction, qualifier: string | undefined): readonly PolicyStatement[] =>
  fn.policies.get(policyKey(qualifier))?.Statement ?? [];

export function setStatements(
  fn: LambdaFunction,
  qualifier: string | undefined,
  statements: readonly PolicyStatement[],
) {
  fn.policies.set(policyKey(qualifier), { Version: '2012-10-17', Id: 'default', Statement: statements });
}
