import { AwsError } from '../../../account/errors.ts';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { LambdaFunction, PolicyStatement } from '../model.ts';
import type { Functions } from '../state.ts';

/** The source on whose behalf a service invokes a function. */
interface InvocationOrigin {
  readonly principal: string;
  readonly sourceArn?: string;
}

/**
 * Custom resources are invoked with the permissions of the caller that deploys the stack, not by a service principal.
 */
const cloudFormation = 'cloudformation.amazonaws.com';

/** Lets IAM find the resource policies of functions. */
export function registerPolicies(aws: AwsNeighbours, functions: Functions): void {
  aws.iam.registerResourcePolicies('lambda', (resource) => {
    const document = functions.all.get(functions.parse(resource).name)?.policy;
    return document && { document };
  });
}

/**
 * A service may invoke a function only with a statement in the function's resource policy.
 * (Developer Guide, "Working with resource-based IAM policies in Lambda".)
 */
export function requirePermission(aws: AwsNeighbours, fn: LambdaFunction, origin: InvocationOrigin) {
  if (!origin.principal.endsWith('.amazonaws.com') || origin.principal === cloudFormation) return;
  const source: Record<string, string> = origin.sourceArn === undefined ? {} : { 'aws:SourceArn': origin.sourceArn };
  const permission = {
    action: 'lambda:InvokeFunction',
    resource: fn.arn,
    context: { 'aws:SourceAccount': aws.accountId, ...source },
  };
  if (aws.iam.serviceMay(origin.principal, permission)) return;
  throw new AwsError(
    'AccessDeniedException',
    `${origin.principal} is not authorized to perform: lambda:InvokeFunction on resource: ${permission.resource} because no resource-based policy allows the lambda:InvokeFunction action`,
    403,
  );
}

export function setStatements(fn: LambdaFunction, statements: readonly PolicyStatement[]): void {
  // IAM cannot evaluate a document without statements.
  fn.policy = statements.length === 0 ? undefined : { Version: '2012-10-17', Id: 'default', Statement: statements };
}
