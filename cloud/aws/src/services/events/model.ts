import type { Schedule } from '@drover/cloud-engine';
import type { Timer } from '@drover/core';
import type { EventMatcher } from './pattern.ts';

/** An event on the bus, as targets see it. (EventBridge User Guide, "Events in Amazon EventBridge".) */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The target of a matched event. Names as in the API. */
export interface Target {
  readonly Id: string;
  readonly Arn: string;
  readonly RetryPolicy?: {
    readonly MaximumRetryAttempts?: number | undefined;
    readonly MaximumEventAgeInSeconds?: number | undefined;
  };
}

/** A rule of the default bus. */
export interface Rule {
  readonly name: string;
  readonly arn: string;
  description: string | undefined;
  roleArn: string | undefined;
  state: 'ENABLED' | 'DISABLED';
  eventPattern: string | undefined;
  matches: EventMatcher | undefined;
  scheduleExpression: string | undefined;
  schedule: Schedule | undefined;
  timer: Timer | undefined;
  tags: Record<string, string>;
  readonly targets: Map<string, Target>;
}

export const defaultBus = 'default';
