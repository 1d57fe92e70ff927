import type { Journal } from '@drover/cloud-engine';
import type { Clock, Random } from '@drover/core';
import type { ArnScope } from '../../account/arn.ts';
import type { ResourceProvider } from '../../account/service.ts';
import type { DynamicSources } from '../template/dynamic-references.ts';
import type { Stack } from './model.ts';
import type { Deployment } from './prepare.ts';

/** What every stack operation stands on. */
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
