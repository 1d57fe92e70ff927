import { type ArnScope, arn } from '../../account/arn.ts';
import type { Operation } from '../../account/service.ts';

/** The ARN that IAM is asked about: the stack's own, or any stack of that name. */
const stackArn = (scope: ArnScope, nameOrId: string | undefined): string =>
  nameOrId?.startsWith('arn:') === true ? nameOrId : arn(scope, 'cloudformation', `stack/${nameOrId ?? '*'}/*`);

/** An operation on one stack, named by `StackName`. */
export const onStack = <Input extends { readonly StackName?: string }, Output>(
  scope: ArnScope,
  name: string,
  run: Operation<Input, Output>['run'],
): Operation<Input, Output> => ({
  permissions: (input) => [{ action: `cloudformation:${name}`, resource: stackArn(scope, input.StackName) }],
  run,
});

/** An operation without resource-level permissions. */
export const onAnything = <Input, Output>(
  name: string,
  run: Operation<Input, Output>['run'],
): Operation<Input, Output> => ({
  permissions: () => [{ action: `cloudformation:${name}`, resource: '*' }],
  run,
});
