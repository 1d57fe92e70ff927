import type { Random } from '@drover/core';
import { AwsError } from '../../account/errors.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { Delivery } from './delivery.ts';
import { ended, type Invocation, type SentCommand, validation } from './model.ts';
import { ManagedNodes } from './nodes.ts';

/** Finished commands beyond this number are forgotten, oldest first. AWS keeps them for 30 days. */
const keptCommands = 5_000;

/** All commands that were sent. */
export class Commands {
  readonly sent = new Map<string, SentCommand>();
  readonly nodes: ManagedNodes;
  readonly delivery: Delivery;
  readonly #aws: AwsNeighbours;
  readonly #random: Random;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
    this.#random = aws.engine.random.fork('ssm');
    this.nodes = new ManagedNodes(aws);
    this.delivery = new Delivery(aws.engine, this.nodes, this.#random);
  }

  get now(): number {
    return this.#aws.engine.clock.now();
  }

  start(
    request: Omit<SentCommand, 'id' | 'requestedAt' | 'invocations' | 'deliverBy' | 'expiresAt'>,
    timeoutSeconds: number,
  ) {
    const command: SentCommand = {
      ...request,
      id: this.#random.uuid(),
      requestedAt: this.now,
      deliverBy: this.now + timeoutSeconds * 1_000,
      expiresAt: this.now + (timeoutSeconds + request.executionTimeoutSeconds) * 1_000,
      invocations: new Map(),
    };
    this.#forgetOld();
    this.sent.set(command.id, command);
    for (const instanceId of request.instanceIds) this.#invoke(command, instanceId);
    return command;
  }

  #invoke(command: SentCommand, instanceId: string): void {
    const invocation: Invocation = {
      commandId: command.id,
      instanceId,
      // For a moment GetCommandInvocation returns InvocationDoesNotExist; the SDKs' waiter retries that.
      visibleAt: this.now + this.#random.int(50, 500),
      status: 'Pending',
      statusDetails: 'Pending',
      responseCode: -1,
      stdout: '',
      stderr: '',
    };
    command.invocations.set(instanceId, invocation);
    this.delivery.send(command, invocation);
  }

  get(id: string | undefined): SentCommand {
    const command = this.sent.get(id ?? '');
    if (command === undefined) throw new AwsError('InvalidCommandId', `the command ${id} does not exist`);
    return command;
  }

  invocation(commandId: string | undefined, instanceId: string | undefined): Invocation {
    if (commandId === undefined || instanceId === undefined) throw validation('CommandId and InstanceId are required');
    const invocation = this.sent.get(commandId)?.invocations.get(instanceId);
    if (invocation === undefined || invocation.visibleAt > this.now)
      throw new AwsError(
        'InvocationDoesNotExist',
        'The command ID and managed node ID you specified did not match any invocations.',
      );
    return invocation;
  }

  /** The invocations that the API shows by now: all, those of one command, or of one instance. */
  visible(only: { commandId?: string | undefined; instanceId?: string | undefined }) {
    const shown: { command: SentCommand; invocation: Invocation }[] = [];
    const commands = only.commandId === undefined ? this.sent.values() : this.#known(only.commandId);
    for (const command of commands)
      for (const invocation of invocationsOn(command, only.instanceId))
        if (invocation.visibleAt <= this.now) shown.push({ command, invocation });
    return shown;
  }

  #known(id: string): readonly SentCommand[] {
    const command = this.sent.get(id);
    return command === undefined ? [] : [command];
  }

  abandonNode(instanceId: string): void {
    for (const command of this.sent.values()) this.delivery.abandon(command, instanceId);
  }

  #forgetOld(): void {
    for (const command of this.sent.values()) {
      if (this.sent.size < keptCommands) return;
      if ([...command.invocations.values()].every(ended)) this.sent.delete(command.id);
    }
  }
}

function invocationsOn(command: SentCommand, instanceId: string | undefined): Iterable<Invocation> {
  if (instanceId === undefined) return command.invocations.values();
  const invocation = command.invocations.get(instanceId);
  return invocation === undefined ? [] : [invocation];
}
