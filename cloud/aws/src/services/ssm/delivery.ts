import type { Engine } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { ended, type Invocation, type InvocationStatus, type SentCommand } from './model.ts';
import type { ManagedNodes } from './nodes.ts';

/** How often a node whose agent does not respond is tried again. */
const retryMs = 30_000;

/** Characters of output that GetCommandInvocation keeps. (API Reference, GetCommandInvocation.) */
const stdoutLimit = 24_000;
const stderrLimit = 8_000;

/**
 * Brings commands to agents and their results back. Statuses as in the Systems Manager User Guide, "Understanding
 * command statuses" and "Understanding command timeout values".
 */
export class Delivery {
  readonly #engine: Engine;
  readonly #nodes: ManagedNodes;
  readonly #random: Random;

  constructor(engine: Engine, nodes: ManagedNodes, random: Random) {
    this.#engine = engine;
    this.#nodes = nodes;
    this.#random = random;
  }

  /**
   * Seconds pass until the agent polls the message; a node that does not respond is tried again until the time is over.
   */
  send(command: SentCommand, invocation: Invocation): void {
    const { clock } = this.#engine;
    clock.after(this.#random.int(300, 3_000), () => this.#attempt(command, invocation));
    clock.after(command.expiresAt - clock.now(), () => this.#end(invocation, 'TimedOut', 'DeliveryTimedOut'));
  }

  /** The node is gone for good: what has not reached it never will. */
  abandon(command: SentCommand, instanceId: string): void {
    const invocation = command.invocations.get(instanceId);
    if (invocation?.status === 'Pending') this.#end(invocation, 'Failed', 'Undeliverable');
  }

  cancel(invocation: Invocation): void {
    this.#end(invocation, 'Cancelled', 'Cancelled');
  }

  #attempt(command: SentCommand, invocation: Invocation): void {
    if (ended(invocation)) return;
    const { clock } = this.#engine;
    const node = this.#nodes.get(invocation.instanceId);
    if (node === undefined) this.#end(invocation, 'Failed', 'Undeliverable');
    else if (clock.now() > command.deliverBy) return;
    else if (node.agent.alive()) this.#begin(command, invocation);
    else clock.after(retryMs, () => this.#attempt(command, invocation));
  }

  #begin(command: SentCommand, invocation: Invocation): void {
    const agent = this.#nodes.get(invocation.instanceId)!.agent;
    this.#move(invocation, 'InProgress', 'InProgress');
    invocation.startedAt = this.#engine.clock.now();
    const limitMs = command.executionTimeoutSeconds * 1_000;
    const limit = this.#engine.clock.after(limitMs, () => {
      // Only a living agent can report that the execution took too long.
      if (agent.alive()) this.#end(invocation, 'TimedOut', 'ExecutionTimedOut');
    });
    agent.run(command.commands, command.executionTimeoutSeconds).then(
      (result) => {
        limit.cancel();
        this.#report(invocation, result);
      },
      (error: unknown) => {
        limit.cancel();
        this.#report(invocation, { exitCode: 1, stdout: '', stderr: String(error) });
      },
    );
  }

  #report(invocation: Invocation, result: { exitCode: number; stdout: string; stderr: string }): void {
    if (ended(invocation)) return;
    invocation.responseCode = result.exitCode;
    invocation.stdout = result.stdout.slice(0, stdoutLimit);
    invocation.stderr = result.stderr.slice(0, stderrLimit);
    const status = result.exitCode === 0 ? 'Success' : 'Failed';
    this.#end(invocation, status, status);
  }

  #end(invocation: Invocation, status: InvocationStatus, details: string): void {
    if (ended(invocation)) return;
    invocation.endedAt = this.#engine.clock.now();
    this.#move(invocation, status, details);
  }

  #move(invocation: Invocation, status: InvocationStatus, details: string): void {
    this.#engine.journal.record({
      kind: 'transition',
      source: 'aws.ssm',
      name: `${invocation.statusDetails} -> ${details}`,
      subject: invocation.instanceId,
      detail: { commandId: invocation.commandId },
    });
    invocation.status = status;
    invocation.statusDetails = details;
  }
}
