import type { Clock, Random } from '@drover/core';
import type { Journal } from './journal.ts';

/**
 * Faults as data. `error | throttle | timeout | slow | kill` strike requests; `duplicate | lose | delayed` strike
 * events; the rest strike machines (service `machine`).
 */
export type FaultEffect =
  /** The call fails; with phase `after` its effect has happened all the same. */
  | { readonly kind: 'error'; readonly phase?: 'before' | 'after'; readonly code?: string; readonly status?: number }
  | { readonly kind: 'throttle' }
  /** No response ever comes: the caller's own timeout ends it. */
  | { readonly kind: 'timeout'; readonly phase?: 'before' | 'after' }
  | { readonly kind: 'slow'; readonly ms: number }
  /** The calling process dies just before or just after the call. */
  | { readonly kind: 'kill'; readonly phase: 'before' | 'after' }
  | { readonly kind: 'duplicate'; readonly afterMs?: number }
  | { readonly kind: 'lose' }
  /** The service misbehaves in a way that it knows by this name; each service says which it has. */
  | { readonly kind: 'misbehave'; readonly how: string }
  | { readonly kind: 'delayed'; readonly ms: number }
  | { readonly kind: 'boot-failure' }
  | { readonly kind: 'slow-boot'; readonly ms: number }
  /** The remote-command agent never registers, or dies. */
  | { readonly kind: 'dead-agent' }
  | { readonly kind: 'failed-hibernation' }
  | { readonly kind: 'spot-reclaim' }
  | { readonly kind: 'crash' };

/** A rule strikes when all that it names matches. */
export interface FaultRule {
  /** `autoscaling`, `secretsmanager`, `platform`, `search`, `events`, `machine`, … */
  readonly service?: string;
  /** Operation, path pattern, event detail type or machine phase (`boot`, `hibernate`, `run`); a RegExp is matched whole. */
  readonly operation?: string | RegExp;
  /** The caller or the struck subject: part of a role name, an instance id, a process name. */
  readonly subject?: string;
  /** Not before this moment. */
  readonly fromMs?: number;
  /** Not from this moment on. */
  readonly untilMs?: number;
  /** Only the n-th match (from 1). */
  readonly nth?: number;
  /** Most strikes. */
  readonly times?: number;
  /** Strikes with this probability. @default 1 */
  readonly chance?: number;
  readonly effect: FaultEffect;
}

export interface FaultPoint {
  readonly service: string;
  readonly operation: string;
  readonly subject?: string;
}

interface Armed {
  readonly rule: FaultRule;
  matches: number;
  strikes: number;
}

/** The fault plan in force. Asked at every external call, event and machine phase. */
export class Faults {
  #armed = new Set<Armed>();
  /**
   * The rules that can strike at a service, in the order in which they were armed; rebuilt when a rule is added or
   * removed.
   */
  #byService = new Map<string, readonly Armed[]>();
  #clock: Clock;
  #random: Random;
  #journal: Journal;

  constructor(clock: Clock, random: Random, journal: Journal) {
    this.#clock = clock;
    this.#random = random;
    this.#journal = journal;
  }

  /** Arms a rule; returns how to disarm it. */
  add(rule: FaultRule): () => void {
    const armed: Armed = { rule, matches: 0, strikes: 0 };
    this.#armed.add(armed);
    this.#byService.clear();
    return () => {
      this.#armed.delete(armed);
      this.#byService.clear();
    };
  }

  clear(): void {
    this.#armed.clear();
    this.#byService.clear();
  }

  /** Whether a rule may strike here, now or later, for any caller. Nothing is struck or journalled. */
  mayStrike({ service, operation }: FaultPoint): boolean {
    if (this.#armed.size === 0) return false;
    const now = this.#clock.now();
    return this.#at(service).some(
      ({ rule, strikes }) =>
        now < (rule.untilMs ?? Number.POSITIVE_INFINITY) &&
        strikes < (rule.times ?? Number.POSITIVE_INFINITY) &&
        namesOperation(rule, operation),
    );
  }

  /** The effect that strikes here and now, of the kinds that can strike here; it is journalled. */
  strike<K extends FaultEffect['kind']>(
    point: FaultPoint,
    kinds: readonly K[],
  ): Extract<FaultEffect, { kind: K }> | undefined {
    // Machines ask every few seconds of their lives; mostly there is no rule at all.
    if (this.#armed.size === 0) return undefined;
    for (const armed of this.#at(point.service)) {
      if (!(kinds as readonly string[]).includes(armed.rule.effect.kind) || !this.#matches(armed.rule, point)) continue;
      armed.matches += 1;
      if (!this.#strikes(armed)) continue;
      armed.strikes += 1;
      const { effect } = armed.rule;
      const detail = { operation: `${point.service}.${point.operation}`, effect };
      this.#journal.record({ kind: 'fault', source: point.service, name: effect.kind, ...subject(point), detail });
      return effect as Extract<FaultEffect, { kind: K }>;
    }
    return undefined;
  }

  /** Whether every call here fails now, so that who waits need not call to learn it. Nothing is struck or journalled. */
  lasts(point: FaultPoint, kinds: readonly FaultEffect['kind'][]): boolean {
    return this.lasting(point, kinds) !== undefined;
  }

  /** The effect by which every call here fails now. Nothing is struck or journalled. */
  lasting<K extends FaultEffect['kind']>(
    point: FaultPoint,
    kinds: readonly K[],
  ): Extract<FaultEffect, { kind: K }> | undefined {
    if (this.#armed.size === 0) return undefined;
    const found = this.#at(point.service).find(
      ({ rule }) =>
        rule.nth === undefined &&
        rule.times === undefined &&
        (rule.chance ?? 1) >= 1 &&
        (kinds as readonly string[]).includes(rule.effect.kind) &&
        this.#matches(rule, point),
    );
    return found?.rule.effect as Extract<FaultEffect, { kind: K }> | undefined;
  }

  #at(service: string): readonly Armed[] {
    const known = this.#byService.get(service);
    if (known !== undefined) return known;
    const armed = [...this.#armed].filter(({ rule }) => rule.service === undefined || rule.service === service);
    this.#byService.set(service, armed);
    return armed;
  }

  #matches(rule: FaultRule, point: FaultPoint): boolean {
    const now = this.#clock.now();
    if (rule.fromMs !== undefined && now < rule.fromMs) return false;
    if (rule.untilMs !== undefined && now >= rule.untilMs) return false;
    if (rule.service !== undefined && rule.service !== point.service) return false;
    if (rule.subject !== undefined && !(point.subject ?? '').includes(rule.subject)) return false;
    return namesOperation(rule, point.operation);
  }

  #strikes(armed: Armed): boolean {
    const { nth, times, chance } = armed.rule;
    if (nth !== undefined && armed.matches !== nth) return false;
    if (times !== undefined && armed.strikes >= times) return false;
    return chance === undefined || this.#random.chance(chance);
  }
}

function namesOperation({ operation: named }: FaultRule, operation: string): boolean {
  if (named === undefined) return true;
  if (typeof named === 'string') return named === operation;
  return named.exec(operation)?.[0] === operation;
}

const subject = (point: FaultPoint) => (point.subject === undefined ? {} : { subject: point.subject });
