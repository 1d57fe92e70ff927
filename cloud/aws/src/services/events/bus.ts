import type { Random } from '@drover/core';
import { arn } from '../../account/arn.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { Delivery } from './delivery.ts';
import { ruleNotFound } from './errors.ts';
import { type BusEvent, defaultBus, type Rule } from './model.ts';

/** The default event bus with its rules. */
export class Bus {
  readonly rules = new Map<string, Rule>();
  readonly #aws: AwsNeighbours;
  readonly #random: Random;
  readonly #delivery: Delivery;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
    this.#random = aws.engine.random.fork('events');
    this.#delivery = new Delivery(aws, this.#random.fork('delivery'));
  }

  get now(): number {
    return this.#aws.engine.clock.now();
  }

  ruleArn(name: string): string {
    return arn(this.#aws, 'events', `rule/${name}`);
  }

  rule(name: string | undefined): Rule {
    const rule = this.rules.get(name ?? '');
    if (rule === undefined) throw ruleNotFound(name ?? '', defaultBus);
    return rule;
  }

  /** Puts an event on the bus: every enabled rule whose pattern matches gets it. */
  publish(event: Pick<BusEvent, 'source' | 'detail-type' | 'detail'> & Partial<BusEvent>): string {
    const full: BusEvent = {
      version: '0',
      id: this.#random.uuid(),
      'detail-type': event['detail-type'],
      source: event.source,
      account: this.#aws.accountId,
      time: event.time ?? this.#seconds(this.now),
      region: this.#aws.region,
      resources: event.resources ?? [],
      detail: event.detail,
    };
    for (const rule of this.rules.values())
      if (rule.state === 'ENABLED' && rule.matches?.(full) === true)
        this.#delivery.deliver(rule, structuredClone(full));
    return full.id;
  }

  /** Starts or stops the timer of a scheduled rule, after any change to it. */
  reschedule(rule: Rule): void {
    rule.timer?.cancel();
    rule.timer = undefined;
    const at = rule.state === 'ENABLED' ? rule.schedule?.(this.now) : undefined;
    if (at !== undefined) rule.timer = this.#aws.engine.clock.after(at - this.now, () => this.#fire(rule, at));
  }

  #fire(rule: Rule, at: number): void {
    this.reschedule(rule);
    this.#delivery.deliver(rule, {
      version: '0',
      id: this.#random.uuid(),
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account: this.#aws.accountId,
      time: this.#seconds(at),
      region: this.#aws.region,
      resources: [rule.arn],
      detail: {},
    });
  }

  #seconds(ms: number): string {
    return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  }
}
