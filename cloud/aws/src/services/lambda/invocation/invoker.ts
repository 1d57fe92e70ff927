import type { Random } from '@drover/core';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import { conflict, recursiveInvocation, tooManyRequests } from '../errors.ts';
import { latest, type Outcome } from '../model.ts';
import type { Selected } from '../state.ts';
import type { Concurrency } from './concurrency.ts';
import type { ExecutionEnvironment } from './environment.ts';
import { hopName, hopsThrough, type Lineage, loopLimit, traceHeader } from './lineage.ts';
import type { EnvironmentPool } from './pool.ts';

/** One request to a function. */
interface Invocation {
  readonly selected: Selected;
  readonly payload: unknown;
  readonly requestId: string;
  readonly lineage: Lineage;
}

/** The result of one run. */
export interface Answer {
  readonly outcome: Outcome;
  /** The newest log lines of the run. */
  readonly tail: readonly string[];
}

/** Runs functions: places, environments, the handler, logs and metrics. */
export class Invoker {
  readonly #aws: AwsNeighbours;
  readonly #concurrency: Concurrency;
  readonly #pool: EnvironmentPool;
  readonly #random: Random;

  constructor(aws: AwsNeighbours, concurrency: Concurrency, pool: EnvironmentPool, random: Random) {
    this.#aws = aws;
    this.#concurrency = concurrency;
    this.#pool = pool;
    this.#random = random;
  }

  /** One run. Throws when the function cannot be started: throttled, recursive, not active. */
  async run(invocation: Invocation): Promise<Answer> {
    this.#admit(invocation);
    const { fn } = invocation.selected;
    try {
      const { environment, cold } = this.#pool.acquire(invocation.selected);
      return await this.#runIn(environment, cold, invocation);
    } finally {
      this.#concurrency.giveBack(fn);
    }
  }

  #admit({ selected, lineage }: Invocation): void {
    const { fn } = selected;
    if (fn.state === 'Pending')
      throw conflict(
        'The operation cannot be performed at this time. The function is currently in the following state: Pending',
      );
    if (fn.recursiveLoop === 'Terminate' && hopsThrough(lineage, fn.arn) >= loopLimit) {
      this.measure(fn.name, 'RecursiveInvocationsDropped', 1);
      this.#note('stopped in a recursive loop', fn.name, { hops: hopsThrough(lineage, fn.arn) });
      throw recursiveInvocation();
    }
    try {
      // A fault `throttle` on service `lambda` and the function's name: the account's places are taken by others.
      const point = { service: 'lambda', operation: fn.name, subject: fn.name };
      if (this.#aws.engine.faults.strike(point, ['throttle']) !== undefined) throw tooManyRequests(false);
      this.#concurrency.take(fn);
    } catch (error) {
      this.measure(fn.name, 'Throttles', 1);
      this.#note('throttled', fn.name);
      throw error;
    }
  }

  async #runIn(environment: ExecutionEnvironment, cold: boolean, invocation: Invocation): Promise<Answer> {
    const { selected, requestId, payload } = invocation;
    const { clock } = this.#aws.engine;
    const { logs } = environment;
    logs.tail = [];
    const initMs = cold ? this.#random.int(150, 600) : 0;
    await clock.sleep(initMs + this.#random.int(1, 10));
    const startedAt = clock.now();
    logs.platform(`START RequestId: ${requestId} Version: ${latest}`, 'platform.start', {
      requestId,
      version: latest,
    });
    const outcome = await environment.invoke({
      requestId,
      payload,
      invokedArn: selected.qualifier === undefined ? selected.fn.arn : `${selected.fn.arn}:${selected.qualifier}`,
      traceHeader: this.#trace(invocation),
    });
    this.#report(environment, requestId, clock.now() - startedAt, initMs, outcome);
    this.#pool.release(environment);
    return { outcome, tail: logs.tail };
  }

  #trace({ selected, lineage }: Invocation): string {
    const seconds = Math.floor(this.#aws.engine.clock.now() / 1_000).toString(16);
    const root = `1-${seconds.padStart(8, '0')}-${this.#random.hex(24)}`;
    return traceHeader(root, this.#random.hex(16), [...lineage, hopName(selected.fn.arn)]);
  }

  #report(environment: ExecutionEnvironment, requestId: string, durationMs: number, initMs: number, outcome: Outcome) {
    const { functionName, selected, logs } = environment;
    const memory = selected.settings.memoryMb;
    const init = initMs === 0 ? '' : `\tInit Duration: ${initMs.toFixed(2)} ms`;
    const status = outcome.ok ? 'success' : outcome.error.errorType === 'Sandbox.Timedout' ? 'timeout' : 'error';
    logs.platform(`END RequestId: ${requestId}`, 'platform.runtimeDone', { requestId, status });
    logs.platform(
      `REPORT RequestId: ${requestId}\tDuration: ${durationMs.toFixed(2)} ms\tBilled Duration: ${Math.ceil(durationMs + initMs)} ms\tMemory Size: ${memory} MB\tMax Memory Used: ${Math.min(memory, 96)} MB${init}`,
      'platform.report',
      { requestId, status, metrics: { durationMs, memorySizeMB: memory } },
    );
    this.measure(functionName, 'Invocations', 1);
    this.measure(functionName, 'Errors', outcome.ok ? 0 : 1);
    this.measure(functionName, 'Throttles', 0);
    this.measure(functionName, 'Duration', durationMs, 'Milliseconds');
    this.measure(functionName, 'ConcurrentExecutions', selected.fn.running);
    this.#note(outcome.ok ? 'succeeded' : 'failed', functionName, {
      requestId,
      durationMs,
      ...(initMs === 0 ? {} : { initMs }),
      ...(outcome.ok ? {} : { error: outcome.error.errorType }),
    });
  }

  /** (Developer Guide, "Types of metrics for Lambda functions".) */
  measure(functionName: string, metric: string, value: number, unit = 'Count'): void {
    this.#aws.cloudwatch.putMetric('AWS/Lambda', metric, { FunctionName: functionName }, value, unit);
    this.#aws.cloudwatch.putMetric('AWS/Lambda', metric, {}, value, unit);
  }

  #note(name: string, functionName: string, detail?: Readonly<Record<string, unknown>>): void {
    const more = detail === undefined ? {} : { detail };
    this.#aws.engine.journal.record({ kind: 'event', source: 'aws.lambda', name, subject: functionName, ...more });
  }
}
