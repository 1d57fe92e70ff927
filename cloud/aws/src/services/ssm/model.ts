import { AwsError } from '../../account/errors.ts';
import type { RemoteAgent } from '../../account/neighbours.ts';

/** A node that Systems Manager knows: its agent has registered at least once. */
export interface ManagedNode {
  readonly instanceId: string;
  agent: RemoteAgent;
  readonly registeredAt: number;
  lastSeenAt: number;
}

export type InvocationStatus = 'Pending' | 'InProgress' | 'Success' | 'Failed' | 'Cancelled' | 'TimedOut';

/** One command on one node. */
export interface Invocation {
  readonly commandId: string;
  readonly instanceId: string;
  /** When the API begins to show it. */
  readonly visibleAt: number;
  status: InvocationStatus;
  /** The finer word: `DeliveryTimedOut`, `ExecutionTimedOut`, `Undeliverable`, … */
  statusDetails: string;
  responseCode: number;
  stdout: string;
  stderr: string;
  startedAt?: number;
  endedAt?: number;
}

/** A command as it was sent. */
export interface SentCommand {
  readonly id: string;
  readonly documentName: string;
  readonly comment: string;
  readonly commands: readonly string[];
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  readonly instanceIds: readonly string[];
  readonly targets: readonly { readonly Key?: string; readonly Values?: readonly string[] }[];
  readonly requestedAt: number;
  /** A command that has not begun by then is not begun any more. */
  readonly deliverBy: number;
  /** Total timeout: what has not ended by then is DeliveryTimedOut. */
  readonly expiresAt: number;
  readonly executionTimeoutSeconds: number;
  readonly invocations: Map<string, Invocation>;
}

export const ended = (invocation: Invocation) => invocation.status !== 'Pending' && invocation.status !== 'InProgress';

/** The wording of AWS for nodes that are not registered, shutting down or terminated. */
export const invalidInstances = (ids: readonly string[], accountId: string) =>
  new AwsError('InvalidInstanceId', `Instances [[${ids.join(', ')}]] not in a valid state for account ${accountId}`);

export const validation = (message: string) => new AwsError('ValidationException', message);
