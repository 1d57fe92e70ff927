import { arn } from '../account/arn.ts';
import { AwsError } from '../account/errors.ts';
import { requireCapabilities } from './capabilities.ts';
import type { DeployContext, Run, Stack } from './deploy/model.ts';
import { type Deployment, prepare } from './deploy/prepare.ts';
import { recordStack } from './deploy/record.ts';
import { OperationStopped, operationSwitch } from './deploy/resource/attempt.ts';
import { exportedValue } from './deploy/stack/exports.ts';
import { validationError } from './errors.ts';
import type { GivenParameter } from './template/parameters.ts';

/** Members that CreateStack, UpdateStack and CreateChangeSet have in common. */
export interface StackInput {
  readonly StackName: string;
  readonly Parameters?: readonly GivenParameter[];
  readonly Capabilities?: readonly string[];
  readonly Tags?: readonly { readonly Key?: string; readonly Value?: string }[];
  readonly NotificationARNs?: readonly string[];
  readonly RoleARN?: string;
  readonly ClientRequestToken?: string;
  readonly DeploymentConfig?: { readonly Mode?: string };
  readonly RollbackConfiguration?: { readonly RollbackTriggers?: readonly unknown[] };
}

/** All stacks of an account and region, also deleted ones, which stay readable by their id. */
export class Stacks {
  readonly context: DeployContext;
  readonly #byId = new Map<string, Stack>();

  constructor(context: Omit<DeployContext, 'stacks'>) {
    this.context = { ...context, stacks: () => this.#byId.values() };
  }

  all(): Stack[] {
    return [...this.#byId.values()];
  }

  /** By name only stacks that are not deleted, by id any. */
  find(nameOrId: string): Stack | undefined {
    const byId = this.#byId.get(nameOrId);
    return byId ?? this.all().find((stack) => stack.name === nameOrId && stack.status !== 'DELETE_COMPLETE');
  }

  get(nameOrId: string): Stack {
    const stack = this.find(nameOrId);
    if (stack === undefined) throw validationError(`Stack with id ${nameOrId} does not exist`);
    return stack;
  }

  newId(name: string): string {
    return arn(this.context.scope, 'cloudformation', `stack/${name}/${this.context.random.uuid()}`);
  }

  /** A stack without resources under a name that is free. */
  add(id: string, input: StackInput): Stack {
    const { StackName: name } = input;
    if (!/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(name))
      throw validationError(
        `1 validation error detected: Value '${name}' at 'stackName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*`,
      );
    if (this.find(name) !== undefined)
      throw new AwsError('AlreadyExistsException', `Stack [${name}] already exists`, 400);
    const stack: Stack = {
      id,
      name,
      createdAt: this.context.clock.now(),
      status: 'REVIEW_IN_PROGRESS',
      deployment: undefined,
      parameters: new Map(),
      tags: {},
      capabilities: [],
      notificationArns: [],
      disableRollback: false,
      terminationProtection: false,
      resources: new Map(),
      outputs: [],
      imports: new Set(),
      events: [],
    };
    this.#byId.set(id, stack);
    return stack;
  }

  /** Checks a template for a stack with this id. */
  prepare(id: string, input: StackInput, body: string, previous?: Stack): Deployment {
    refuseUnmodelled(input);
    const { scope, zones, dynamic } = this.context;
    const identity = {
      ...scope,
      stackName: input.StackName,
      stackId: id,
      notificationArns: input.NotificationARNs ?? [],
    };
    const deployment = prepare({
      identity: { ...identity, accountId: scope.accountId, region: scope.region },
      zones,
      body,
      given: input.Parameters ?? [],
      ...(previous === undefined ? {} : { previous: previous.parameters }),
      stored: (name) => dynamic.parameter(name),
      importValue: (name) => exportedValue(this.context, name),
    });
    requireCapabilities(deployment.template, input.Capabilities ?? []);
    return deployment;
  }

  /** Puts a deployment and the settings that came with it in force. */
  adopt(stack: Stack, input: StackInput, deployment: Deployment): void {
    stack.deployment = deployment;
    stack.parameters = deployment.parameters;
    stack.capabilities = input.Capabilities ?? [];
    stack.notificationArns = input.NotificationARNs ?? stack.notificationArns;
    if (input.Tags !== undefined) stack.tags = tagsOf(input);
    if (input.RoleARN !== undefined) stack.roleArn = input.RoleARN;
    if (deployment.template.Description === undefined) delete stack.description;
    else stack.description = deployment.template.Description;
  }

  /** Starts an operation on a stack; it goes on by itself on the clock. */
  begin(stack: Stack, deployment: Deployment, token: string | undefined, act: (run: Run) => Promise<void>): void {
    const abort = operationSwitch();
    const run: Run = {
      context: this.context,
      stack,
      deployment,
      abort,
      failed: [],
      imports: new Set(),
      ...(token === undefined ? {} : { clientRequestToken: token }),
    };
    const operation = { abort, done: settled(run, act(run)) };
    stack.operation = operation;
    void operation.done.then(() => {
      if (stack.operation === operation) delete stack.operation;
    });
  }

  /** Ends what is being done to a stack and waits until it has come to rest. */
  async stop(stack: Stack, reason: OperationStopped = new OperationStopped()): Promise<void> {
    stack.operation?.abort.abort(reason);
    await stack.operation?.done;
  }
}

/** A fault of our own must not leave a stack in progress for ever. */
async function settled(run: Run, acting: Promise<void>): Promise<void> {
  try {
    await acting;
  } catch (error) {
    const { status } = run.stack;
    const failed = status.startsWith('DELETE')
      ? 'DELETE_FAILED'
      : status.startsWith('CREATE')
        ? 'CREATE_FAILED'
        : 'UPDATE_ROLLBACK_FAILED';
    recordStack(run, failed, `Internal Failure: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Of these two members only what changes nothing is modelled. */
function refuseUnmodelled({ RollbackConfiguration, DeploymentConfig }: StackInput): void {
  if ((RollbackConfiguration?.RollbackTriggers ?? []).length > 0)
    throw validationError('the embedded cloud does not model the parameter RollbackConfiguration');
  refuseExpress(DeploymentConfig);
}

/** An express deployment ends before its resources are ready. */
export function refuseExpress(config: StackInput['DeploymentConfig']): void {
  if ((config?.Mode ?? 'STANDARD') !== 'STANDARD')
    throw validationError(`the embedded cloud does not model deployments of mode ${config?.Mode}`);
}

/** The tags of a request. */
export const tagsOf = (input: StackInput): Record<string, string> =>
  Object.fromEntries((input.Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value]));
