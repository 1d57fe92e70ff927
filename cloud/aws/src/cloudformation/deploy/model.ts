import type { Journal } from '@drover/cloud-engine';
import type { Clock, Random } from '@drover/core';
import type { ArnScope } from '../../account/arn.ts';
import type { ResourceProvider } from '../../account/service.ts';
import type { DynamicSources } from '../template/functions/dynamic-references.ts';
import type { Resolved } from '../template/functions/scope.ts';
import type { ParameterValue } from '../template/parameters.ts';
import type { RemovalPolicy } from '../template/template.ts';
import type { Deployment } from './prepare.ts';

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
  refIsUnknown?: boolean;
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

/** The operation in progress on a stack. */
interface Operation {
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
}

/** The dependencies of every stack operation. */
export interface DeployContext {
  readonly scope: ArnScope;
  readonly zones: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  /** How long each resource takes, beyond what its provider takes. */
  readonly resourceDelayMs: number;
  readonly dynamic: DynamicSources;
  stacks(): Iterable<Stack>;
  providerFor(type: string): ResourceProvider;
}

/** One operation on one stack, under way. */
export interface Run {
  readonly context: DeployContext;
  readonly stack: Stack;
  readonly deployment: Deployment;
  /** Aborted when the operation is to stop: a resource failed, time is up, or the user cancelled. */
  readonly abort: AbortController;
  readonly clientRequestToken?: string;
  /** Logical ids of the resources that failed, in the order in which they failed. */
  readonly failed: string[];
  /** Exports used so far. */
  readonly imports: Set<string>;
}

/** An update under way: what was before, and which physical resources the end of it will remove. */
export interface UpdateRun extends Run {
  readonly before: ReadonlyMap<string, StackResource>;
  /** Old physical resources that a new one took the place of. */
  readonly superseded: StackResource[];
  /** Logical ids whose resource was changed in place, or was about to be. */
  readonly touched: Set<string>;
  /** Physical resources that the update has made; a rollback removes them. Filled when the rollback begins. */
  readonly made: StackResource[];
}
