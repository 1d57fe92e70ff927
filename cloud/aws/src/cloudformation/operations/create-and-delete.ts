import type { ArnScope } from '../../account/arn.ts';
import type { Operations } from '../../account/service.ts';
import type { Stack } from '../deploy/model.ts';
import { GivenUp, type OnFailure, runCreate } from '../deploy/stack/create-stack.ts';
import { runDelete } from '../deploy/stack/delete-stack.ts';
import { validationError } from '../errors.ts';
import { refuseExpress, type StackInput, type Stacks } from '../state.ts';
import { type ObjectReader, type TemplateInput, templateText } from '../template-source.ts';
import { onStack } from './permissions.ts';

interface CreateStackInput extends StackInput, TemplateInput {
  readonly DisableRollback?: boolean;
  readonly OnFailure?: OnFailure;
  readonly TimeoutInMinutes?: number;
  readonly EnableTerminationProtection?: boolean;
}

interface DeleteStackInput {
  readonly StackName: string;
  readonly RetainResources?: readonly string[];
  readonly DeletionMode?: 'STANDARD' | 'FORCE_DELETE_STACK';
  readonly ClientRequestToken?: string;
  readonly DeploymentConfig?: StackInput['DeploymentConfig'];
}

/** Beginning and end of stacks. */
export const createAndDeleteOperations = (scope: ArnScope, stacks: Stacks, read: ObjectReader): Operations => ({
  CreateStack: onStack<CreateStackInput, unknown>(scope, 'CreateStack', (input) => createStack(stacks, input, read)),
  DeleteStack: onStack<DeleteStackInput, unknown>(scope, 'DeleteStack', (input) => {
    refuseExpress(input.DeploymentConfig);
    const stack = stacks.find(input.StackName);
    // Deleting a stack that does not exist succeeds (API Reference, DeleteStack).
    if (stack !== undefined && stack.status !== 'DELETE_COMPLETE') deleteStack(stacks, stack, input);
    return {};
  }),
});

function createStack(stacks: Stacks, input: CreateStackInput, read: ObjectReader): { StackId: string } {
  if (input.OnFailure !== undefined && input.DisableRollback !== undefined)
    throw validationError('You can specify either DisableRollback or OnFailure, but not both.');
  const body = templateText(input, read);
  if (body === undefined) throw validationError('Either Template URL or Template Body must be specified.');
  const id = stacks.newId(input.StackName);
  const deployment = stacks.prepare(id, input, body);
  const stack = stacks.add(id, input);
  stack.disableRollback = input.DisableRollback ?? input.OnFailure === 'DO_NOTHING';
  stack.terminationProtection = input.EnableTerminationProtection ?? false;
  if (input.TimeoutInMinutes !== undefined) stack.timeoutMinutes = input.TimeoutInMinutes;
  stacks.adopt(stack, input, deployment);
  const onFailure = input.OnFailure ?? (stack.disableRollback ? 'DO_NOTHING' : 'ROLLBACK');
  stacks.begin(stack, deployment, input.ClientRequestToken, (run) => runCreate(run, onFailure));
  return { StackId: id };
}

function deleteStack(stacks: Stacks, stack: Stack, input: DeleteStackInput): void {
  if (stack.terminationProtection)
    throw validationError(`Stack [${stack.name}] cannot be deleted while TerminationProtection is enabled`);
  if (stack.status === 'DELETE_IN_PROGRESS') return;
  if (stack.operation !== undefined && stack.status !== 'CREATE_IN_PROGRESS')
    throw validationError(`Stack [${stack.name}] cannot be deleted while in status ${stack.status}`);
  const retain = input.RetainResources ?? [];
  if (retain.length > 0 && stack.status !== 'DELETE_FAILED')
    throw validationError(
      `Invalid operation on stack [${stack.name}]. RetainResources can be specified only when the stack is in the DELETE_FAILED state.`,
    );
  const options = { retain: new Set(retain), force: input.DeletionMode === 'FORCE_DELETE_STACK' };
  const creation = stacks.stop(stack, new GivenUp());
  stacks.begin(stack, stack.deployment ?? nothing, input.ClientRequestToken, async (run) => {
    if (stack.status === 'CREATE_IN_PROGRESS') await creation;
    await runDelete(run, options);
  });
}

/** The deployment of a stack that only ever had a change set. */
const nothing: NonNullable<Stack['deployment']> = {
  body: '',
  template: { Transform: [], Parameters: {}, Mappings: {}, Conditions: {}, Rules: {}, Resources: {}, Outputs: {} },
  parameters: new Map(),
  pseudo: {},
  dependencies: new Map(),
  condition: () => false,
};
