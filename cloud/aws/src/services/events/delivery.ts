import type { Random } from '@drover/core';
import { AwsError } from '../../account/errors.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { BusEvent, Rule, Target } from './model.ts';

/** Up to 24 hours and 185 times, unless the target says otherwise. (EventBridge User Guide, "How EventBridge retries delivering events".) */
const defaultRetries = { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 86_400 };

/** Errors that trying again will not cure: the event is dropped at once. (The same page.) */
const permanentErrors = ['AccessDeniedException', 'ResourceNotFoundException'];

const source = 'events.amazonaws.com';

interface Attempt {
  readonly rule: Rule;
  readonly target: Target;
  readonly event: BusEvent;
  readonly since: number;
  count: number;
}

/**
 * Brings events to targets at least once. Each delivery takes its own time, so two events may overtake each other, and
 * faults on service `events` (operation: detail type or rule name) lose, delay or double one.
 * (EventBridge User Guide, "Amazon EventBridge event bus concepts": at-least-once delivery, no order.)
 */
export class Delivery {
  readonly #aws: AwsNeighbours;
  readonly #random: Random;

  constructor(aws: AwsNeighbours, random: Random) {
    this.#aws = aws;
    this.#random = random;
  }

  deliver(rule: Rule, event: BusEvent): void {
    this.#count(rule, 'TriggeredRules');
    for (const target of rule.targets.values()) this.#send(rule, target, event);
  }

  #send(rule: Rule, target: Target, event: BusEvent): void {
    const attempt = (): Attempt => ({ rule, target, event, since: this.#now, count: 0 });
    const fault = this.#fault(rule, event);
    if (fault?.kind === 'lose') return;
    const delayedMs = fault?.kind === 'delayed' ? fault.ms : 0;
    this.#later(attempt(), this.#latencyMs() + delayedMs);
    if (fault?.kind === 'duplicate') this.#later(attempt(), fault.afterMs ?? this.#random.int(200, 5_000));
  }

  #fault(rule: Rule, event: BusEvent) {
    const { faults } = this.#aws.engine;
    const kinds = ['duplicate', 'lose', 'delayed'] as const;
    const subject = subjectOf(event);
    return (
      faults.strike({ service: 'events', operation: event['detail-type'], subject }, kinds) ??
      faults.strike({ service: 'events', operation: rule.name, subject }, kinds)
    );
  }

  /** Mostly well below a second, now and then a few. */
  #latencyMs(): number {
    return this.#random.chance(0.02) ? this.#random.int(1_000, 4_000) : this.#random.int(50, 700);
  }

  get #now(): number {
    return this.#aws.engine.clock.now();
  }

  #later(attempt: Attempt, delayMs: number): void {
    this.#aws.engine.clock.after(delayMs, () => this.#attempt(attempt));
  }

  #attempt(attempt: Attempt): void {
    attempt.count += 1;
    try {
      const { target, event, rule } = attempt;
      this.#aws.lambda.invokeAsync(target.Arn, event, { principal: source, sourceArn: rule.arn });
      this.#count(attempt.rule, 'Invocations');
      this.#journal('delivered', attempt);
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      this.#failed(attempt, error);
    }
  }

  #failed(attempt: Attempt, error: AwsError): void {
    const { MaximumRetryAttempts: retries, MaximumEventAgeInSeconds: age } = {
      ...defaultRetries,
      ...attempt.target.RetryPolicy,
    };
    this.#count(attempt.rule, 'FailedInvocations');
    this.#journal('delivery failed', attempt, error);
    const permanent = permanentErrors.includes(error.code);
    const waitMs = Math.min(900_000, 1_000 * 2 ** Math.min(20, attempt.count - 1)) + this.#random.int(0, 1_000);
    const tooOld = this.#now + waitMs - attempt.since > (age ?? 0) * 1_000;
    if (!permanent && !tooOld && attempt.count <= (retries ?? 0)) this.#later(attempt, waitMs);
  }

  #journal(name: string, { rule, target, event, count }: Attempt, error?: AwsError): void {
    this.#aws.engine.journal.record({
      kind: 'event',
      source: 'aws.events',
      name,
      subject: subjectOf(event) ?? rule.name,
      detail: {
        rule: rule.name,
        target: target.Arn.split(':').at(-1),
        detailType: event['detail-type'],
        ...(count > 1 ? { attempt: count } : {}),
        ...(error === undefined ? {} : { error: error.code }),
      },
    });
  }

  #count(rule: Rule, metric: string): void {
    this.#aws.cloudwatch.putMetric('AWS/Events', metric, { RuleName: rule.name }, 1, 'Count');
  }
}

/** The subject of an event, for faults and the journal. */
function subjectOf(event: BusEvent): string {
  const id = event.detail.EC2InstanceId ?? event.detail['instance-id'];
  return typeof id === 'string' ? id : (event.resources[0] ?? event.source);
}
