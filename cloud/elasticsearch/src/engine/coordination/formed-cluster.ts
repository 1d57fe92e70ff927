import type { Engine } from '@drover/cloud-engine';
import type { Random, Timer } from '@drover/core';
import { type ClusterState, emptyState } from '../state/cluster-state.ts';
import { base64Id } from '../state/ids.ts';
import { type FlatSettings, SettingsView } from './settings.ts';
import { hasQuorum } from './voting-config.ts';

/** The leader cannot get this change accepted by more than half of the voting nodes. */
export class NotCommitted extends Error {}

/** The node that leads: what a formed cluster needs to know of it. */
export interface Leader {
  readonly id: string;
  readonly name: string;
  readonly running: boolean;
  /** Lines of its own configuration file, which stand before those that all nodes have. */
  readonly settings: FlatSettings;
  reachableIds(): ReadonlySet<string>;
  canReach(other: Leader): boolean;
}

type Listener = (state: ClusterState, previous: ClusterState) => void;

/**
 * One formed cluster: the state that a majority has accepted and the node that leads it. Nodes that are cut off keep an
 * older state of their own; because a quorum always overlaps, there is one committed state at any time.
 */
export class FormedCluster {
  readonly engine: Engine;
  readonly random: Random;
  #shared: FlatSettings;
  #config: FlatSettings;
  #state: ClusterState;
  #leader: Leader | undefined;
  #listeners = new Set<Listener>();
  #queue: (() => void)[] = [];
  #draining = false;
  #view: SettingsView;

  constructor(engine: Engine, random: Random, config: FlatSettings) {
    this.engine = engine;
    this.random = random;
    this.#shared = config;
    this.#config = config;
    this.#state = emptyState(base64Id(random), base64Id(random));
    this.#view = new SettingsView(this.#state, config);
  }

  get state(): ClusterState {
    return this.#state;
  }

  get leader(): Leader | undefined {
    return this.#leader;
  }

  /** The configuration file of the elected master: it decides what is no cluster setting ("Configuring Elasticsearch"). */
  get config(): FlatSettings {
    return this.#config;
  }

  get settings(): SettingsView {
    return this.#view;
  }

  newId(): string {
    return base64Id(this.random);
  }

  /** Puts a leader in place, or takes it away. */
  lead(leader: Leader | undefined): void {
    this.#leader = leader;
    if (leader === undefined) return;
    this.#config = { ...this.#shared, ...leader.settings };
    this.#view = new SettingsView(this.#state, this.#config);
  }

  /** Whether a change by the present leader would be accepted. */
  get canCommit(): boolean {
    const leader = this.#leader;
    return leader !== undefined && hasQuorum(this.#state.votingConfig, leader.reachableIds());
  }

  /** Changes the committed state. Throws `NotCommitted` when there is no leader with a quorum. */
  update(change: (state: ClusterState) => ClusterState): void {
    if (!this.canCommit) throw new NotCommitted('no master with a quorum');
    this.replace(change(this.#state));
  }

  /** Takes over a state that an election or bootstrap has settled. */
  replace(next: ClusterState): void {
    const previous = this.#state;
    if (next === previous) return;
    this.#state = { ...next, version: previous.version + 1, stateUUID: this.newId() };
    if (next.persistent !== previous.persistent || next.transient !== previous.transient)
      this.#view = new SettingsView(this.#state, this.#config);
    this.#queue.push(() => {
      for (const listener of [...this.#listeners]) listener(this.#state, previous);
    });
    this.#drain();
  }

  /** Calls `listener` on every change; returns a function that removes it. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves true once `reached` holds, false when `timeoutMs` have passed first. */
  waitUntil(reached: () => boolean, timeoutMs: number): Promise<boolean> {
    if (reached()) return Promise.resolve(true);
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const stop = this.onChange(() => reached() && finish(true));
      const finish = (outcome: boolean) => {
        stop();
        timer?.cancel();
        resolve(outcome);
      };
      if (timeoutMs >= 0) timer = this.engine.clock.after(timeoutMs, () => finish(reached()));
    });
  }

  /** Changes made by listeners are delivered one after the other, never nested. */
  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    try {
      for (let act = this.#queue.shift(); act !== undefined; act = this.#queue.shift()) act();
    } finally {
      this.#draining = false;
    }
  }
}
