import type { Timer } from '@drover/core';
import { watermark } from '../allocation/watermarks.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { changeIndex } from '../state/index-metadata.ts';
import type { ShardRouting } from '../state/shard.ts';
import type { FormedCluster } from './formed-cluster.ts';
import type { SearchNode } from './search-node.ts';

const floodBlock = 'index.blocks.read_only_allow_delete';

export interface DiskMonitorSources {
  members(): readonly SearchNode[];
  readonly allocation: { run(): void };
}

/**
 * Looks at the disks some time after something changed (`cluster.info.update.interval`): above the flood stage the
 * indices of a node become read-only, below the high watermark they are released; other changes start a round.
 */
export class DiskMonitor {
  #core: FormedCluster;
  #sources: DiskMonitorSources;
  #timer: Timer | undefined;
  #levels = new Map<string, string>();

  constructor(core: FormedCluster, sources: DiskMonitorSources) {
    this.#core = core;
    this.#sources = sources;
  }

  /** Something was written or moved. */
  touch(): void {
    this.#timer ??= this.#core.engine.clock.after(this.#core.settings.timeMs('cluster.info.update.interval'), () => {
      this.#timer = undefined;
      this.#check();
    });
  }

  #check(): void {
    if (!this.#core.canCommit || !this.#core.settings.boolean('cluster.routing.allocation.disk.threshold_enabled'))
      return;
    const levels = new Map(this.#sources.members().map((node) => [node.id, this.#level(node)]));
    this.#block(levels);
    const changed = [...levels].some(([id, level]) => (this.#levels.get(id) ?? 'ok') !== level);
    this.#levels = levels;
    if (changed) this.#sources.allocation.run();
    if ([...levels.values()].some((level) => level !== 'ok')) this.touch();
  }

  #level(node: SearchNode): string {
    for (const name of ['flood_stage', 'high', 'low'] as const)
      if (node.freeBytes < watermark(this.#core.settings, name).minimumFree(node.diskBytes)) return name;
    return 'ok';
  }

  #block(levels: ReadonlyMap<string, string>): void {
    const { state } = this.#core;
    const on = (shard: ShardRouting, wanted: (level: string) => boolean) =>
      shard.node !== undefined && wanted(levels.get(shard.node) ?? 'ok');
    const flooded: string[] = [];
    const released: string[] = [];
    for (const [name, shards] of state.routing) {
      const copies = shards.flat();
      const blocked = state.indices.get(name)!.settings[floodBlock] === 'true';
      if (!blocked && copies.some((copy) => on(copy, (level) => level === 'flood_stage'))) flooded.push(name);
      if (blocked && !copies.some((copy) => on(copy, (level) => level === 'flood_stage' || level === 'high')))
        released.push(name);
    }
    if (flooded.length + released.length > 0) this.#core.update((current) => setBlocks(current, flooded, released));
  }
}

function setBlocks(state: ClusterState, flooded: readonly string[], released: readonly string[]): ClusterState {
  const indices = new Map(state.indices);
  for (const name of flooded) {
    const index = indices.get(name)!;
    indices.set(name, changeIndex(index, { settings: { ...index.settings, [floodBlock]: 'true' } }));
  }
  for (const name of released) {
    const index = indices.get(name)!;
    const { [floodBlock]: _, ...settings } = index.settings;
    indices.set(name, changeIndex(index, { settings }));
  }
  return { ...state, indices };
}
