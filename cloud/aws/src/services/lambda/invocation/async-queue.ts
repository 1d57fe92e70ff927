import type { Random } from '@drover/core';
import { AwsError } from '../../../account/errors.ts';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { EventInvokeConfig, LambdaFunction } from '../model.ts';
import type { Functions } from '../state.ts';
import { type QueuedEvent, sendToDestination } from './destinations.ts';
import type { Answer, Invoker } from './invoker.ts';
import type { Lineage } from './lineage.ts';

/** One minute before the second attempt, two before the third. (Developer Guide, "How Lambda handles errors and retries with asynchronous invocation".) */
const errorRetryMs = [60_000, 120_000];
/** After a throttle: from one second, doubling, to five minutes. (The same page.) */
const throttleRetryMs = (refusals: number) => Math.min(300_000, 1_000 * 2 ** Math.min(20, refusals - 1));

export const defaultInvokeConfig: EventInvokeConfig = {
  maximumRetryAttempts: 2,
  maximumEventAgeSeconds: 21_600,
  onFailure: undefined,
  modifiedAt: 0,
};

/** The queue behind asynchronous invocations: at least once, retried, then handed to the failure destination. */
export class AsyncQueue {
  readonly #aws: AwsNeighbours;
  readonly #functions: Functions;
  readonly #invoker: Invoker;
  readonly #random: Random;

  constructor(aws: AwsNeighbours, functions: Functions, invoker: Invoker, random: Random) {
    this.#aws = aws;
    this.#functions = functions;
    this.#invoker = invoker;
    this.#random = random;
  }

  /** Accepts an event. Faults `duplicate`, `lose` and `delayed` on service `lambda` and the function's name strike here. */
  add(functionArn: string, payload: unknown, lineage: Lineage): string {
    const { name } = this.#functions.parse(functionArn);
    const event: QueuedEvent = {
      functionArn,
      payload: structuredClone(payload),
      requestId: this.#random.uuid(),
      lineage,
      queuedAt: this.#now,
      runs: 0,
      refusals: 0,
    };
    this.#invoker.measure(name, 'AsyncEventsReceived', 1);
    const fault = this.#aws.engine.faults.strike({ service: 'lambda', operation: name, subject: name }, [
      'duplicate',
      'lose',
      'delayed',
    ]);
    if (fault?.kind === 'lose') return event.requestId;
    this.#later(event, this.#random.int(5, 100) + (fault?.kind === 'delayed' ? fault.ms : 0));
    if (fault?.kind === 'duplicate') this.#later({ ...event }, fault.afterMs ?? this.#random.int(100, 2_000));
    return event.requestId;
  }

  get #now(): number {
    return this.#aws.engine.clock.now();
  }

  #later(event: QueuedEvent, delayMs: number): void {
    this.#aws.engine.clock.after(delayMs, () => void this.#attempt(event));
  }

  async #attempt(event: QueuedEvent): Promise<void> {
    const fn = this.#functions.all.get(this.#functions.parse(event.functionArn).name);
    if (fn === undefined) return;
    const config = fn.eventInvokeConfig ?? defaultInvokeConfig;
    if (this.#age(event) > config.maximumEventAgeSeconds) return this.#drop(fn, event, 'EventAgeExceeded');
    if (fn.reservedConcurrency === 0) return this.#drop(fn, event, 'ZeroReservedConcurrency');
    try {
      const selected = this.#functions.select(event.functionArn);
      this.#invoker.measure(fn.name, 'AsyncEventAge', this.#now - event.queuedAt, 'Milliseconds');
      const answer = await this.#invoker.run({ ...event, selected });
      this.#afterRun(fn, event, config, answer);
    } catch (error) {
      this.#refused(fn, event, config, error);
    }
  }

  #afterRun(fn: LambdaFunction, event: QueuedEvent, config: EventInvokeConfig, answer: Answer): void {
    event.runs += 1;
    event.refusals = 0;
    const waitMs = errorRetryMs[event.runs - 1];
    if (answer.outcome.ok) return;
    if (waitMs === undefined || event.runs > config.maximumRetryAttempts)
      this.#drop(fn, event, 'RetriesExhausted', answer);
    else if (this.#age(event) + waitMs / 1_000 > config.maximumEventAgeSeconds)
      this.#drop(fn, event, 'EventAgeExceeded', answer);
    else this.#later(event, waitMs);
  }

  /** Throttles and system errors are retried until the event is too old; a recursive loop is not. */
  #refused(fn: LambdaFunction, event: QueuedEvent, config: EventInvokeConfig, error: unknown): void {
    if (!(error instanceof AwsError)) throw error;
    event.refusals += 1;
    const waitMs = throttleRetryMs(event.refusals);
    const leftMs = config.maximumEventAgeSeconds * 1_000 - (this.#now - event.queuedAt);
    if (error.code === 'RecursiveInvocationException') this.#drop(fn, event, 'RecursiveInvocation');
    else if (leftMs <= 0) this.#drop(fn, event, 'EventAgeExceeded');
    else this.#later(event, Math.min(waitMs, leftMs + 1));
  }

  #drop(fn: LambdaFunction, event: QueuedEvent, condition: string, answer?: Answer): void {
    this.#invoker.measure(fn.name, 'AsyncEventsDropped', 1);
    this.#aws.engine.journal.record({
      kind: 'event',
      source: 'aws.lambda',
      name: 'event dropped',
      subject: fn.name,
      detail: { condition, runs: event.runs, requestId: event.requestId },
    });
    sendToDestination(this.#aws, this.#invoker, fn, event, condition, answer);
  }

  #age(event: QueuedEvent): number {
    return (this.#now - event.queuedAt) / 1_000;
  }
}
