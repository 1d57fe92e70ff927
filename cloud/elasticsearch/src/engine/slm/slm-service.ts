import type { Timer } from '@drover/core';
import type { FormedCluster } from '../coordination/formed-cluster.ts';
import type { Repositories } from '../snapshots/repositories.ts';
import type { SnapshotInfo } from '../snapshots/repository-data.ts';
import { listOf, requestedIndices } from '../snapshots/requested-indices.ts';
import { snapshotContent } from '../snapshots/snapshot-content.ts';
import type { SnapshotService } from '../snapshots/snapshot-service.ts';
import { base64Id } from '../state/ids.ts';
import { resolveDateMath } from '../values/date-math.ts';
import { parseTimeMs } from '../values/units.ts';
import { decideRetention, type Retention } from './retention.ts';
import { nextScheduled } from './schedule.ts';
import { addCounts, type SlmEntry, slmState, withEntry, withSlm } from './slm-state.ts';

/** Duration of deleting one snapshot, estimated. */
const deletionMs = 100;

/** The part of the master that snapshot lifecycle management needs. */
export interface SlmSources {
  readonly core: FormedCluster;
  readonly repositories: Repositories;
  readonly snapshots: SnapshotService;
}

/** Takes snapshots when policies say so and removes them when they are old ("Snapshot lifecycle management"). Runs on the master. */
export class SlmService {
  #services: SlmSources;
  #timers = new Map<string, { readonly timer: Timer; readonly entry: SlmEntry; readonly atMs: number }>();
  #retention: { readonly timer: Timer; readonly schedule: string } | undefined;
  #inProgress = new Map<
    string,
    { readonly name: string; readonly uuid: string; readonly startMs: number; readonly state: string }
  >();
  #retaining = false;

  constructor(services: SlmSources) {
    this.#services = services;
    services.core.onChange((state, previous) => {
      if (
        state.customs !== previous.customs ||
        state.persistent !== previous.persistent ||
        state.transient !== previous.transient ||
        state.masterId !== previous.masterId
      )
        this.#schedule();
    });
  }

  nextExecutionMs(entry: SlmEntry): number | undefined {
    return nextScheduled(entry.policy.schedule, this.#now(), entry.modifiedMs);
  }

  inProgress(id: string) {
    return this.#inProgress.get(id);
  }

  #now(): number {
    return this.#services.core.engine.clock.now();
  }

  /** Timers for what the cluster state holds; a policy that did not change keeps its timer. */
  #schedule(): void {
    const slm = slmState(this.#services.core.state);
    const running = slm.mode === 'RUNNING' && this.#services.core.leader !== undefined;
    for (const [id, { timer, entry }] of this.#timers)
      if (
        !running ||
        slm.policies.get(id)?.version !== entry.version ||
        slm.policies.get(id)?.modifiedMs !== entry.modifiedMs
      ) {
        timer.cancel();
        this.#timers.delete(id);
      }
    if (running) for (const entry of slm.policies.values()) if (!this.#timers.has(entry.id)) this.#arm(entry);
    this.#scheduleRetention(running && slm.policies.size > 0);
  }

  #arm(entry: SlmEntry): void {
    const atMs = this.nextExecutionMs(entry);
    if (atMs === undefined) return;
    const timer = this.#services.core.engine.clock.after(atMs - this.#now(), () => {
      this.#timers.delete(entry.id);
      const current = slmState(this.#services.core.state).policies.get(entry.id);
      if (current !== undefined) this.#arm(current);
      // A master that has lost its quorum runs nothing.
      if (current !== undefined && this.#services.core.canCommit) void this.execute(entry.id).catch(() => {});
    });
    this.#timers.set(entry.id, { timer, entry, atMs });
  }

  #scheduleRetention(wanted: boolean): void {
    const schedule = this.#services.core.settings.text('slm.retention_schedule');
    if (wanted && this.#retention?.schedule === schedule) return;
    this.#retention?.timer.cancel();
    this.#retention = undefined;
    const atMs = wanted && schedule !== '' ? nextScheduled(schedule, this.#now(), 0) : undefined;
    if (atMs === undefined) return;
    const timer = this.#services.core.engine.clock.after(atMs - this.#now(), () => {
      this.#retention = undefined;
      this.#scheduleRetention(slmState(this.#services.core.state).mode === 'RUNNING');
      if (this.#services.core.canCommit) void this.retain();
    });
    this.#retention = { timer, schedule };
  }

  /** Takes a policy's snapshot now; resolves with its name once it has begun. */
  async execute(id: string): Promise<string> {
    const { core, snapshots, repositories } = this.#services;
    const entry = slmState(core.state).policies.get(id)!;
    const name = `${resolveName(entry.policy.name, this.#now())}-${base64Id(core.random).toLowerCase()}`;
    try {
      const repository = repositories.find(entry.policy.repository);
      const running = await snapshots.create({ repository, name, ...this.#content(entry) });
      this.#inProgress.set(id, { name, uuid: running.info.uuid, startMs: running.info.startMs, state: 'STARTED' });
      void running.finished
        .then((info) => this.#finished(id, info))
        .catch((error: unknown) => this.#failed(id, name, error));
    } catch (error) {
      this.#failed(id, name, error);
      throw error;
    }
    return name;
  }

  #content({ id, policy }: SlmEntry) {
    const { config } = policy;
    const indices = requestedIndices(this.#services.core.state, config, this.#now());
    const metadata = { ...(config.metadata as Record<string, unknown> | undefined), policy: id };
    const includeGlobalState = config.include_global_state !== false;
    const [named, featureStates] = [listOf(config.indices), listOf(config.feature_states)];
    return {
      ...snapshotContent(this.#services.core.state, { indices, named, featureStates, includeGlobalState }),
      partial: config.partial === true,
      includeGlobalState,
      metadata,
    };
  }

  #finished(id: string, info: SnapshotInfo) {
    this.#inProgress.delete(id);
    if (info.state === 'FAILED') return this.#failed(id, info.name, new Error(info.reason ?? 'failed'));
    if (info.state === 'PARTIAL')
      return this.#failed(
        id,
        info.name,
        new Error(
          `failed to create snapshot successfully, ${info.failures.length} out of ${info.indices.reduce((count, { shards }) => count + shards.length, 0)} total shards failed`,
        ),
      );
    this.#change(id, (entry) => ({
      ...addCounts(entry, { taken: 1 }),
      lastSuccess: { snapshotName: info.name, startMs: info.startMs, timeMs: info.endMs },
      runsSinceSuccess: 0,
    }));
  }

  #failed(id: string, name: string, error: unknown): undefined {
    this.#inProgress.delete(id);
    const reason = error instanceof Error ? error.message : String(error);
    const details = JSON.stringify({ type: 'snapshot_exception', reason });
    this.#change(id, (entry) => ({
      ...addCounts(entry, { failed: 1 }),
      lastFailure: { snapshotName: name, timeMs: this.#now(), details },
      runsSinceSuccess: entry.runsSinceSuccess + 1,
    }));
    return undefined;
  }

  #change(id: string, change: (entry: SlmEntry) => SlmEntry): void {
    const { core } = this.#services;
    if (!core.canCommit) return;
    core.update((state) => {
      const entry = slmState(state).policies.get(id);
      return entry === undefined ? state : withEntry(state, change(entry));
    });
  }

  /** Removes what is too old or too much, policy by policy, for at most `slm.retention_duration`. */
  async retain(): Promise<void> {
    if (this.#retaining) return;
    this.#retaining = true;
    const startMs = this.#now();
    const deadline = startMs + this.#services.core.settings.timeMs('slm.retention_duration');
    let timedOut = false;
    let failed = false;
    for (const entry of slmState(this.#services.core.state).policies.values())
      for (const name of (await this.#expired(entry).catch(() => undefined)) ?? []) {
        if (this.#now() > deadline) timedOut = true;
        else if (!(await this.#delete(entry, name))) failed = true;
      }
    this.#retaining = false;
    if (!this.#services.core.canCommit) return;
    this.#services.core.update((state) => {
      const slm = slmState(state);
      return withSlm(state, {
        retentionRuns: slm.retentionRuns + 1,
        retentionFailed: slm.retentionFailed + (failed ? 1 : 0),
        retentionTimedOut: slm.retentionTimedOut + (timedOut ? 1 : 0),
        retentionMs: slm.retentionMs + (this.#now() - startMs),
      });
    });
  }

  async #expired(entry: SlmEntry): Promise<string[]> {
    const retention = readRetention(entry);
    if (retention === undefined) return [];
    const { snapshots } = await this.#services.repositories.data(
      this.#services.repositories.find(entry.policy.repository),
    );
    return decideRetention(
      retention,
      snapshots.filter(({ metadata }) => metadata?.policy === entry.id),
      this.#now(),
    );
  }

  async #delete(entry: SlmEntry, name: string): Promise<boolean> {
    const { core, repositories, snapshots } = this.#services;
    try {
      await core.engine.clock.sleep(deletionMs);
      await snapshots.delete(repositories.find(entry.policy.repository), [name]);
      this.#change(entry.id, (current) => addCounts(current, { deleted: 1 }));
      return true;
    } catch {
      this.#change(entry.id, (current) => addCounts(current, { deletionFailures: 1 }));
      return false;
    }
  }
}

export const resolveName = (name: string, nowMs: number) =>
  name.startsWith('<') && name.endsWith('>') ? resolveDateMath(name, nowMs) : name;

function readRetention({ policy }: SlmEntry): Retention | undefined {
  const { retention } = policy;
  if (retention === undefined) return undefined;
  const expireAfterMs = retention.expire_after === undefined ? undefined : parseTimeMs(String(retention.expire_after));
  return {
    ...(expireAfterMs === undefined ? {} : { expireAfterMs }),
    ...(retention.min_count === undefined ? {} : { minCount: Number(retention.min_count) }),
    ...(retention.max_count === undefined ? {} : { maxCount: Number(retention.max_count) }),
  };
}
