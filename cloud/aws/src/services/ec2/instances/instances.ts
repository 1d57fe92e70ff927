import { type DelayRange, drawDelay, every } from '@drover/cloud-engine';
import type { Random, Timer } from '@drover/core';
import type { AwsNeighbours, Ec2Instance, InstanceStateName } from '../../../account/neighbours.ts';
import { ec2Error, notFound } from '../errors.ts';
import type { Instance } from '../model.ts';
import { instanceTiming as timing } from './timing.ts';

type StateListener = (instance: Ec2Instance, from: InstanceStateName | undefined) => void;

/** Instances and their states: Amazon EC2 instance state changes. */
export class Instances {
  readonly byId = new Map<string, Instance>();
  readonly #aws: AwsNeighbours;
  readonly #random: Random;
  readonly #release: (instance: Instance) => void;
  readonly #stateListeners: StateListener[] = [];
  readonly #noticeListeners: ((instance: Ec2Instance, atMs: number) => void)[] = [];
  readonly #recommendationListeners: ((instance: Ec2Instance) => void)[] = [];
  readonly #impairedListeners: ((instance: Ec2Instance, impaired: boolean) => void)[] = [];
  /** Spot instances that run, asked about reclaim faults. */
  readonly #runningSpot = new Set<Instance>();
  readonly #reclaiming = new Set<string>();
  #spotTimer: Timer | undefined;

  /** `release` gives back what the instance held once it is terminated. */
  constructor(aws: AwsNeighbours, random: Random, release: (instance: Instance) => void) {
    this.#aws = aws;
    this.#random = random;
    this.#release = release;
  }

  onState(listener: StateListener): void {
    this.#stateListeners.push(listener);
  }

  onSpotNotice(listener: (instance: Ec2Instance, atMs: number) => void): void {
    this.#noticeListeners.push(listener);
  }

  onRebalanceRecommendation(listener: (instance: Ec2Instance) => void): void {
    this.#recommendationListeners.push(listener);
  }

  onImpaired(listener: (instance: Ec2Instance, impaired: boolean) => void): void {
    this.#impairedListeners.push(listener);
  }

  get(id: string): Instance {
    const instance = this.byId.get(id);
    if (instance === undefined) throw notFound('InvalidInstanceID.NotFound', 'instance ID', id);
    return instance;
  }

  add(instance: Instance): void {
    this.byId.set(instance.id, instance);
    this.#announce(instance, undefined);
    this.#boot(instance, () => this.#aws.machines.powerOn(instance));
  }

  terminate(instance: Instance, reason: string, code = 'Client.UserInitiatedShutdown'): void {
    if (instance.state === 'shutting-down' || instance.state === 'terminated') return;
    instance.stateReason = reason;
    instance.stateReasonCode = code;
    this.#move(instance, 'shutting-down');
    this.#aws.machines.powerOff(instance);
    this.#after(instance, timing.shuttingDown, () => this.#end(instance));
  }

  stop(instance: Instance, options: { hibernate: boolean }): void {
    if (instance.state === 'stopping' || instance.state === 'stopped') return;
    if (instance.state !== 'running') throw incorrectState(instance, 'stopped');
    if (options.hibernate && !instance.hibernationConfigured)
      throw ec2Error(
        'UnsupportedHibernationConfiguration',
        `The instance '${instance.id}' was not launched with hibernation enabled.`,
      );
    if (instance.spot) throw ec2Error('UnsupportedOperation', `You can't stop the Spot Instance '${instance.id}'.`);
    instance.stateReasonCode = options.hibernate ? 'Client.UserInitiatedHibernate' : 'Client.UserInitiatedShutdown';
    instance.stateReason = `${instance.stateReasonCode}: User initiated ${options.hibernate ? 'hibernate' : 'shutdown'}`;
    this.#move(instance, 'stopping');
    if (options.hibernate) this.#aws.machines.hibernate(instance, (saved) => this.#hibernated(instance, saved));
    else {
      this.#aws.machines.powerOff(instance);
      this.#after(instance, timing.stopping, () => this.#move(instance, 'stopped'));
    }
  }

  /** Its system has ended by itself: Change instance initiated shutdown behavior. */
  poweredOff(instance: Instance): void {
    if (instance.state !== 'running') return;
    const code = 'Client.InstanceInitiatedShutdown';
    const reason = `${code}: Instance initiated shutdown`;
    if (instance.shutdownBehavior === 'terminate') {
      this.terminate(instance, reason, code);
      return;
    }
    instance.stateReasonCode = code;
    instance.stateReason = reason;
    this.#move(instance, 'stopping');
    this.#aws.machines.powerOff(instance);
    this.#after(instance, timing.stopping, () => this.#move(instance, 'stopped'));
  }

  start(instance: Instance): void {
    if (instance.state === 'running' || instance.state === 'pending') return;
    if (instance.state !== 'stopped') throw incorrectState(instance, 'started');
    const { hibernated } = instance;
    instance.hibernated = false;
    instance.impaired = false;
    // "The time that the instance was last launched"; the reason of its stop is no longer shown.
    instance.launchedAt = this.#aws.engine.clock.now();
    instance.stateReason = undefined;
    instance.stateReasonCode = undefined;
    this.#move(instance, 'pending');
    this.#boot(instance, () =>
      hibernated ? this.#aws.machines.resume(instance) : this.#aws.machines.powerOn(instance),
    );
  }

  /** Takes a spot instance away after two minutes' notice: Spot Instance interruption notices. */
  reclaimSpot(instance: Instance): void {
    if (!instance.spot) throw ec2Error('UnsupportedOperation', `The instance '${instance.id}' is not a Spot Instance.`);
    if (instance.state !== 'running' || this.#reclaiming.has(instance.id)) return;
    this.#reclaiming.add(instance.id);
    const atMs = this.#aws.engine.clock.now() + timing.spotNoticeMs;
    this.#emit(instance, 'EC2 Spot Instance Interruption Warning', { 'instance-action': 'terminate' });
    this.#aws.machines.spotNotice(instance, atMs);
    for (const listener of this.#noticeListeners) listener(instance, atMs);
    this.#aws.engine.clock.after(timing.spotNoticeMs, () => {
      const reason = 'Server.SpotInstanceTermination: Spot instance termination';
      this.terminate(instance, reason, 'Server.SpotInstanceTermination');
    });
  }

  /** A spot instance may be taken away soon, or never: EC2 instance rebalance recommendations. */
  recommendRebalance(instance: Instance): void {
    if (!instance.spot) throw ec2Error('UnsupportedOperation', `The instance '${instance.id}' is not a Spot Instance.`);
    if (instance.state !== 'running' || instance.rebalanceRecommendedAt !== undefined) return;
    instance.rebalanceRecommendedAt = this.#aws.engine.clock.now();
    this.#emit(instance, 'EC2 Instance Rebalance Recommendation', {});
    for (const listener of this.#recommendationListeners) listener(instance);
  }

  /** The operating system stopped responding, or responds again: status checks follow. */
  setImpaired(instance: Instance, impaired: boolean): void {
    if (instance.impaired === impaired) return;
    instance.impaired = impaired;
    instance.impairedAt = this.#aws.engine.clock.now();
    for (const listener of this.#impairedListeners) listener(instance, impaired);
  }

  /** False: the machine would not hibernate and runs on, which shows as `running`. */
  #hibernated(instance: Instance, saved: boolean): void {
    if (instance.state !== 'stopping') return;
    instance.hibernated = saved;
    if (saved) this.#after(instance, timing.stopping, () => this.#move(instance, 'stopped'));
    else this.#move(instance, 'running');
  }

  #boot(instance: Instance, powerOn: () => void): void {
    this.#after(instance, timing.pending, () => {
      instance.runningSince = this.#aws.engine.clock.now();
      // The machine is on before any listener hears of it: a listener may switch it off at once.
      this.#move(instance, 'running', powerOn);
    });
  }

  #end(instance: Instance): void {
    instance.terminatedAt = this.#aws.engine.clock.now();
    this.#reclaiming.delete(instance.id);
    this.#move(instance, 'terminated');
    this.#release(instance);
    this.#aws.engine.clock.after(timing.terminatedVisibleMs, () => this.byId.delete(instance.id));
  }

  /** Goes on after a delay unless the instance has moved to another state by then. */
  #after(instance: Instance, range: DelayRange, act: () => void): void {
    const epoch = instance.stateEpoch;
    this.#aws.engine.clock.after(drawDelay(this.#random, range), () => {
      if (instance.stateEpoch === epoch) act();
    });
  }

  #move(instance: Instance, to: InstanceStateName, beforeTelling: () => void = () => {}): void {
    const from = instance.state;
    instance.state = to;
    instance.stateEpoch += 1;
    instance.stateChangedAt = this.#aws.engine.clock.now();
    beforeTelling();
    this.#announce(instance, from);
  }

  #announce(instance: Instance, from: InstanceStateName | undefined): void {
    const { state } = instance;
    const name = `${from ?? 'none'} -> ${state}`;
    this.#aws.engine.journal.record({ kind: 'transition', source: 'aws.ec2', name, subject: instance.id });
    this.#emit(instance, 'EC2 Instance State-change Notification', { state });
    this.#watchSpot(instance);
    for (const listener of this.#stateListeners) listener(instance, from);
  }

  #watchSpot(instance: Instance): void {
    if (!instance.spot) return;
    if (instance.state === 'running') this.#runningSpot.add(instance);
    else this.#runningSpot.delete(instance);
    if (this.#runningSpot.size === 0) {
      this.#spotTimer?.cancel();
      this.#spotTimer = undefined;
    } else this.#spotTimer ??= every(this.#aws.engine.clock, timing.spotFaultPeriodMs, () => this.#askFaults());
  }

  #askFaults(): void {
    for (const instance of this.#runningSpot) {
      const point = { service: 'machine', operation: 'run', subject: instance.id };
      if (this.#aws.engine.faults.strike(point, ['spot-reclaim']) !== undefined) this.reclaimSpot(instance);
    }
  }

  #emit(instance: Instance, detailType: string, detail: Readonly<Record<string, unknown>>): void {
    this.#aws.events.emit({
      source: 'aws.ec2',
      detailType,
      detail: { 'instance-id': instance.id, ...detail },
      resources: [instance.arn],
    });
  }
}

const incorrectState = (instance: Instance, deed: string) =>
  ec2Error('IncorrectInstanceState', `The instance '${instance.id}' is not in a state from which it can be ${deed}.`);
