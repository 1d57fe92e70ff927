import type { ArnScope } from '../../account/arn.ts';
import type { Operations } from '../../account/service.ts';
import type { Stack } from '../deploy/model.ts';
import { planUpdate } from '../deploy/plan.ts';
import type { Deployment } from '../deploy/prepare.ts';
import { runUpdate, settingsOf } from '../deploy/stack/update-stack.ts';
import { validationError } from '../errors.ts';
import { type StackInput, type Stacks, tagsOf } from '../state.ts';
import { type ObjectReader, type TemplateInput, templateText } from '../template-source.ts';
import { onStack } from './permissions.ts';

export interface UpdateStackInput extends StackInput, TemplateInput {
  readonly UsePreviousTemplate?: boolean;
  readonly DisableRollback?: boolean;
}

/** Changes of stacks that exist. */
export const updateOperations = (scope: ArnScope, stacks: Stacks, read: ObjectReader): Operations => ({
  UpdateStack: onStack<UpdateStackInput, unknown>(scope, 'UpdateStack', (input) => {
    requireOneTemplate(input);
    const stack = updatable(stacks, input.StackName);
    const deployment = prepareUpdate(stacks, stack, input, read);
    if (!planUpdate(stacks.context, stack, deployment, newTags(stack, input)).changesAnything)
      throw validationError('No updates are to be performed.');
    beginUpdate(stacks, stack, input, deployment);
    return { StackId: stack.id };
  }),
});

const updatableStatus = /^((CREATE|UPDATE|UPDATE_ROLLBACK)_COMPLETE|(CREATE|UPDATE)_FAILED|IMPORT_COMPLETE)$/;

/** The stack, if its status allows an update (User Guide, "Stack status codes"). */
export function updatable(stacks: Stacks, name: string): Stack {
  const stack = stacks.find(name);
  if (stack === undefined || stack.status === 'DELETE_COMPLETE')
    throw validationError(`Stack [${name}] does not exist`);
  if (!updatableStatus.test(stack.status))
    throw validationError(`Stack:${stack.id} is in ${stack.status} state and can not be updated.`);
  return stack;
}

export function requireOneTemplate({ UsePreviousTemplate, TemplateBody, TemplateURL }: UpdateStackInput): void {
  if (UsePreviousTemplate === true && (TemplateBody ?? TemplateURL) !== undefined)
    throw validationError('You cannot specify both usePreviousTemplate and Template Body/Template URL.');
}

/** Checks the new template against the stack. */
export function prepareUpdate(stacks: Stacks, stack: Stack, input: UpdateStackInput, read: ObjectReader): Deployment {
  const body = input.UsePreviousTemplate === true ? stack.deployment?.body : templateText(input, read);
  if (body === undefined) throw validationError('Either Template URL or Template Body must be specified.');
  const deployment = stacks.prepare(stack.id, { ...input, StackName: stack.name }, body, stack);
  const retyped = [...stack.resources.values()]
    .filter(({ logicalId, type }) => (deployment.template.Resources[logicalId]?.Type ?? type) !== type)
    .map(({ logicalId }) => logicalId);
  if (retyped.length > 0)
    throw validationError(
      `Update of resource type is not permitted. The new template modifies resource type of the following resources: [${retyped.join(', ')}]`,
    );
  return deployment;
}

/** Tags of the stack after the update; a request without tags keeps them. */
export const newTags = (stack: Stack, input: StackInput): Stack['tags'] =>
  input.Tags === undefined ? stack.tags : tagsOf(input);

export function beginUpdate(stacks: Stacks, stack: Stack, input: UpdateStackInput, deployment: Deployment): void {
  const previous = settingsOf(stack);
  stacks.adopt(stack, input, deployment);
  const keepOnFailure = input.DisableRollback ?? false;
  stacks.begin(stack, deployment, input.ClientRequestToken, (run) => runUpdate(run, previous, keepOnFailure));
}
