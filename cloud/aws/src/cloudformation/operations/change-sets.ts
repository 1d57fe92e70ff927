import type { ArnScope } from '../../account/arn.ts';
import { AwsError } from '../../account/errors.ts';
import type { Operations } from '../../account/service.ts';
import type { ChangeSet, ChangeSets, ChangeSetType } from '../change-sets.ts';
import type { Stack } from '../deploy/model.ts';
import { planUpdate } from '../deploy/plan.ts';
import type { Deployment } from '../deploy/prepare.ts';
import { recordStack } from '../deploy/record.ts';
import { runCreate } from '../deploy/stack/create-stack.ts';
import { validationError } from '../errors.ts';
import type { StackInput, Stacks } from '../state.ts';
import { type ObjectReader, templateText } from '../template-source.ts';
import { describeChangeSet } from './describe-change-set.ts';
import { onStack } from './permissions.ts';
import { beginUpdate, newTags, prepareUpdate, requireOneTemplate, type UpdateStackInput, updatable } from './update.ts';

interface CreateChangeSetInput extends UpdateStackInput {
  readonly ChangeSetName: string;
  readonly ChangeSetType?: ChangeSetType | 'IMPORT';
  readonly Description?: string;
  readonly OnStackFailure?: 'ROLLBACK' | 'DELETE' | 'DO_NOTHING';
}

interface ChangeSetName {
  readonly StackName?: string;
  readonly ChangeSetName: string;
}

/** Change sets: an update (or a creation) that is looked at before it is done. */
export const changeSetOperations = (
  scope: ArnScope,
  stacks: Stacks,
  changeSets: ChangeSets,
  read: ObjectReader,
): Operations => ({
  CreateChangeSet: onStack<CreateChangeSetInput, unknown>(scope, 'CreateChangeSet', (input) =>
    createChangeSet(stacks, changeSets, input, read),
  ),
  DescribeChangeSet: onStack<ChangeSetName, unknown>(scope, 'DescribeChangeSet', (input) =>
    describeChangeSet(changeSets.get(input.ChangeSetName, input.StackName)),
  ),
  ExecuteChangeSet: onStack<ChangeSetName & { ClientRequestToken?: string; DisableRollback?: boolean }, unknown>(
    scope,
    'ExecuteChangeSet',
    (input) => {
      execute(stacks, changeSets, changeSets.get(input.ChangeSetName, input.StackName), input);
      return {};
    },
  ),
});

function createChangeSet(stacks: Stacks, changeSets: ChangeSets, input: CreateChangeSetInput, read: ObjectReader) {
  if (input.ChangeSetType === 'IMPORT')
    throw validationError('the embedded cloud does not model change sets of type IMPORT');
  requireOneTemplate(input);
  const type = input.ChangeSetType ?? 'UPDATE';
  if (changeSets.find(input.ChangeSetName, input.StackName) !== undefined)
    throw new AwsError('AlreadyExistsException', `ChangeSet ${input.ChangeSetName} already exists`, 409);
  const { stack, deployment } =
    type === 'CREATE' ? prepareCreation(stacks, input, read) : prepareChange(stacks, input, read);
  const changeSet: ChangeSet = {
    id: changeSets.newId(input.ChangeSetName),
    name: input.ChangeSetName,
    stack,
    type,
    createdAt: stacks.context.clock.now(),
    input,
    deployment,
    status: 'CREATE_PENDING',
    executionStatus: 'UNAVAILABLE',
    changes: [],
  };
  changeSets.add(changeSet);
  stacks.context.clock.after(stacks.context.resourceDelayMs, () => compare(stacks, changeSet));
  return { Id: changeSet.id, StackId: stack.id };
}

function prepareChange(stacks: Stacks, input: CreateChangeSetInput, read: ObjectReader) {
  const stack = updatable(stacks, input.StackName);
  return { stack, deployment: prepareUpdate(stacks, stack, input, read) };
}

/** A stack that only has change sets waits in REVIEW_IN_PROGRESS for one to be executed. */
function prepareCreation(stacks: Stacks, input: CreateChangeSetInput, read: ObjectReader) {
  const existing = stacks.find(input.StackName);
  if (existing !== undefined && existing.status !== 'REVIEW_IN_PROGRESS')
    throw validationError(
      `Stack [${input.StackName}] already exists and cannot be created again with the changeSet [${input.ChangeSetName}].`,
    );
  const body = templateText(input, read);
  if (body === undefined) throw validationError('Either Template URL or Template Body must be specified.');
  const id = existing?.id ?? stacks.newId(input.StackName);
  const deployment = stacks.prepare(id, input, body);
  const stack = existing ?? stacks.add(id, input);
  if (existing === undefined) recordStack({ context: stacks.context, stack }, 'REVIEW_IN_PROGRESS', 'User Initiated');
  return { stack, deployment };
}

/** Works out the changes; a change set without any has failed, in words that clients look for. */
function compare(stacks: Stacks, changeSet: ChangeSet): void {
  const { stack, deployment, input } = changeSet;
  try {
    const plan = planUpdate(stacks.context, stack, deployment, newTags(stack, input));
    changeSet.changes = plan.resources;
    if (!plan.changesAnything)
      throw validationError(
        "The submitted information didn't contain changes. Submit different information to create a change set.",
      );
    changeSet.status = 'CREATE_COMPLETE';
    changeSet.executionStatus = 'AVAILABLE';
  } catch (error) {
    changeSet.status = 'FAILED';
    changeSet.statusReason = error instanceof Error ? error.message : String(error);
  }
}

interface Execution {
  readonly ClientRequestToken?: string;
  readonly DisableRollback?: boolean;
}

function execute(stacks: Stacks, changeSets: ChangeSets, changeSet: ChangeSet, execution: Execution): void {
  const { stack, deployment, input } = changeSet;
  if (changeSet.executionStatus !== 'AVAILABLE')
    throw new AwsError(
      'InvalidChangeSetStatus',
      `ChangeSet [${changeSet.id}] cannot be executed in its current status of [${changeSet.status}]`,
      400,
    );
  const settings = { ...input, ...execution };
  if (changeSet.type === 'CREATE') beginCreation(stacks, stack, deployment, settings);
  else beginUpdate(stacks, updatable(stacks, stack.id), settings, deployment);
  // Executing one change set deletes the others of the stack, and itself once it is done (API Reference, ExecuteChangeSet).
  for (const each of changeSets.of(stack)) if (each !== changeSet) changeSets.remove(each);
  changeSet.executionStatus = 'EXECUTE_IN_PROGRESS';
  void stack.operation?.done.then(() => {
    changeSet.executionStatus = 'EXECUTE_COMPLETE';
  });
}

function beginCreation(
  stacks: Stacks,
  stack: Stack,
  deployment: Deployment,
  settings: StackInput & Execution & Pick<CreateChangeSetInput, 'OnStackFailure'>,
): void {
  stacks.adopt(stack, settings, deployment);
  stack.disableRollback = settings.DisableRollback ?? settings.OnStackFailure === 'DO_NOTHING';
  const onFailure = settings.OnStackFailure ?? (stack.disableRollback ? 'DO_NOTHING' : 'ROLLBACK');
  stacks.begin(stack, deployment, settings.ClientRequestToken, (run) => runCreate(run, onFailure));
}
