import type { ParameterValue } from '../template/parameters.ts';
import type { Resolved } from '../template/scope.ts';
import type { RemovalPolicy } from '../template/template.ts';
import type { Deployment } from './prepare.ts';
import type { UpdateRun } from './update-resource.ts';

/** User Guide, "Stack status codes". */
export type StackStatus =
  | 'REVIEW_IN_PROGRESS'
  | `${'CREATE' | 'UPDATE' | 'DELETE' | 'ROLLBACK' | 'UPDATE_ROLLBACK'}_${'IN_PROGRESS' | 'COMPLETE' | 'FAILED'}`
  | `${'UPDATE' | 'UPDATE_ROLLBACK'}_COMPLETE_CLEANUP_IN_PROGRESS`;

export type ResourceStatus =
  | `${'CREATE' | 'UPDATE' | 'DELETE'}_${'IN_PROGRESS' | 'COMPLETE' | 'FAILED'}`
  | 'DELETE_SKIPPED';

export type ResolvedProperties = Readonly<Record<string, Resolved>>;

/** One resource of a stack as it stands. */
export interface StackResource {
  readonly logicalId: string;
  readonly type: string;
  physicalId: string | undefined;
  attributes: Readonly<Record<string, unknown>>;
  /** Resolved; dynamic references are still text, so that no secret is kept. */
  properties: ResolvedProperties;
  status: ResourceStatus;
  statusReason?: string;
  updatedAt: number;
  deletionPolicy: RemovalPolicy;
  updateReplacePolicy: RemovalPolicy;
  updatePolicy?: ResolvedProperties;
  /** Logical ids that it needs: it goes before they go. */
  needs: ReadonlySet<string>;
  /** A creation that was given up while it was still on its way. */
  unfinished?: Promise<void>;
}

export interface StackEvent {
  readonly id: string;
  readonly at: number;
  readonly logicalId: string;
  readonly physicalId: string;
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly properties?: ResolvedProperties;
  readonly clientRequestToken?: string;
}

export interface StackOutput {
  readonly key: string;
  readonly value: string;
  readonly description?: string;
  readonly exportName?: string;
}

/** What is done to a stack right now. */
export interface Operation {
  readonly abort: AbortController;
  /** Settles when the stack has come to rest; never rejects. */
  readonly done: Promise<void>;
}

export interface Stack {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  status: StackStatus;
  statusReason?: string;
  updatedAt?: number;
  deletedAt?: number;
  /** Undefined until the first change set is executed. */
  deployment: Deployment | undefined;
  /** From the template in force. */
  description?: string;
  parameters: ReadonlyMap<string, ParameterValue>;
  tags: Readonly<Record<string, string>>;
  capabilities: readonly string[];
  notificationArns: readonly string[];
  roleArn?: string;
  disableRollback: boolean;
  terminationProtection: boolean;
  timeoutMinutes?: number;
  readonly resources: Map<string, StackResource>;
  outputs: readonly StackOutput[];
  /** Names of exports of other stacks that this one uses. */
  imports: ReadonlySet<string>;
  /** Oldest first. */
  readonly events: StackEvent[];
  operation?: Operation;
  /** An update whose rollback failed, for ContinueUpdateRollback. */
  pendingRollback?: UpdateRun;
}
