import type { Network } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { FunctionSettings } from '../model.ts';
import type { Selected } from '../state.ts';
import { ExecutionEnvironment, type Loader } from './environment.ts';

/** Idle environments are given up after some minutes. AWS promises no number. */
const idleLimitMs = 600_000;
/** Credentials in an environment are never used to their last minute. */
const credentialMarginMs = 1_800_000;

/** The warm environments of every function. A change of code or configuration starts new ones. */
export class EnvironmentPool {
  readonly #aws: AwsNeighbours;
  readonly #loaderFor: (selected: Selected) => Loader;
  readonly #random: Random;
  #idle = new WeakMap<FunctionSettings, ExecutionEnvironment[]>();
  readonly #alive = new Set<ExecutionEnvironment>();
  #network: Network | undefined;
  #started = 0;

  constructor(aws: AwsNeighbours, loaderFor: (selected: Selected) => Loader, random: Random) {
    this.#aws = aws;
    this.#loaderFor = loaderFor;
    this.#random = random;
  }

  connect(network: Network): void {
    this.#network = network;
  }

  /** An idle environment, or a cold one. */
  acquire(selected: Selected): { environment: ExecutionEnvironment; cold: boolean } {
    const warm = this.#usable(selected.settings).pop();
    if (warm !== undefined) return { environment: warm, cold: false };
    if (this.#network === undefined) throw new Error('functions have no network: call lambda.connect(network) first');
    const random = this.#random.fork(`environment/${this.#started++}`);
    const loader = this.#loaderFor(selected);
    const environment = new ExecutionEnvironment(this.#aws, this.#network, selected, loader, random);
    for (const other of this.#alive) if (!other.alive) this.#alive.delete(other);
    this.#alive.add(environment);
    return { environment, cold: true };
  }

  /** Ends every environment. */
  stop(): void {
    for (const environment of this.#alive) environment.retire();
    this.#alive.clear();
  }

  release(environment: ExecutionEnvironment): void {
    const { settings, fn } = environment.selected;
    if (fn.settings !== settings) environment.retire();
    else if (environment.alive) this.#usable(settings).push(environment);
  }

  /** The function is gone or its handler was replaced. */
  retire(settings: FunctionSettings): void {
    for (const environment of this.#idle.get(settings) ?? []) environment.retire();
    this.#idle.delete(settings);
  }

  #usable(settings: FunctionSettings): ExecutionEnvironment[] {
    const now = this.#aws.engine.clock.now();
    const all = this.#idle.get(settings) ?? [];
    const kept = all.filter((environment) => usable(environment, now));
    for (const environment of all) if (!kept.includes(environment)) environment.retire();
    this.#idle.set(settings, kept);
    return kept;
  }
}

function usable(environment: ExecutionEnvironment, now: number): boolean {
  const { expiresAt } = environment.credentials;
  const fresh = expiresAt === undefined || expiresAt - now > credentialMarginMs;
  return environment.alive && fresh && now - environment.idleSince <= idleLimitMs;
}
