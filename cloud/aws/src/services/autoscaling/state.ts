import { type DelayRange, drawDelay } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { groupNotFound } from './errors.ts';
import { RecentChanges } from './groups/past-members.ts';
import { type LifecycleState, lifecycleGraph } from './lifecycle-states.ts';
import type { Group, LifecycleAction, Member, ProcessName, ScalingPolicyRecord } from './model.ts';
import { scalingTiming } from './timing.ts';

/** All groups of the account and the few things every part of the service does with them. */
export class Scaler {
  readonly aws: AwsNeighbours;
  readonly groups = new Map<string, Group>();
  /** Members of all groups by instance id. */
  readonly members = new Map<string, Member>();
  /** Open lifecycle actions by token. */
  readonly actions = new Map<string, LifecycleAction>();
  readonly policiesByArn = new Map<string, ScalingPolicyRecord>();
  readonly random: Random;
  readonly recent = new RecentChanges();
  readonly timing = scalingTiming;
  readonly #watchers = new Set<() => void>();
  #look: (group: Group) => void = () => {};

  constructor(aws: AwsNeighbours) {
    this.aws = aws;
    this.random = aws.engine.random.fork('autoscaling');
  }

  get now(): number {
    return this.aws.engine.clock.now();
  }

  /** The effect of `wake`. Set once, by the service. */
  onWake(look: (group: Group) => void): void {
    this.#look = look;
  }

  /** Calls `check` on every change of members or groups. Returns an unsubscribe function. */
  watch(check: () => void): () => void {
    this.#watchers.add(check);
    return () => this.#watchers.delete(check);
  }

  changed(): void {
    for (const check of [...this.#watchers]) check();
  }

  group(name: string | undefined): Group {
    const group = this.groups.get(name ?? '');
    if (group === undefined) throw groupNotFound(name);
    return group;
  }

  isSuspended(group: Group, process: ProcessName): boolean {
    return group.suspended.has(process);
  }

  /** Has the group looked after soon, or at a given moment; many reasons become one look. */
  wake(group: Group, atMs = this.now + drawDelay(this.random, this.timing.reaction)): void {
    if (group.wakeAt !== undefined && group.wakeAt <= atMs) return;
    group.wakeTimer?.cancel();
    group.wakeAt = atMs;
    group.wakeTimer = this.aws.engine.clock.after(atMs - this.now, () => {
      group.wakeAt = undefined;
      if (this.groups.get(group.name) === group) this.#look(group);
      this.changed();
    });
  }

  /** Does something a little later, unless the member has changed its state by then. */
  later(member: Member, range: DelayRange, act: () => void): void {
    const { epoch } = member;
    this.aws.engine.clock.after(drawDelay(this.random, range), () => {
      if (member.epoch === epoch) act();
    });
  }

  add(member: Member): void {
    member.group.members.set(member.instanceId, member);
    this.members.set(member.instanceId, member);
    this.#announce(member, undefined);
  }

  /** Moves along the documented graph; anything else is a fault of this model. */
  setState(member: Member, to: LifecycleState): void {
    const from = member.state;
    if (!lifecycleGraph[from].includes(to)) throw new Error(`${member.instanceId}: no way from ${from} to ${to}`);
    member.state = to;
    member.epoch += 1;
    this.#announce(member, from);
  }

  forget(member: Member): void {
    member.group.members.delete(member.instanceId);
    this.members.delete(member.instanceId);
    this.changed();
  }

  #announce(member: Member, from: LifecycleState | undefined): void {
    const name = `${from ?? 'none'} -> ${member.state}`;
    this.aws.engine.journal.record({ kind: 'transition', source: 'aws.autoscaling', name, subject: member.instanceId });
    this.recent.record(this.now, member, from);
    this.changed();
  }
}
