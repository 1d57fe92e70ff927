import { allShards, isActive, type SearchNode } from '@drover/cloud-elasticsearch';
import { every, type JournalEntry } from '@drover/cloud-engine';
import { groupNames, searchNodeFacts, spreadObject } from '@drover/core/names/search-cluster';
import { clusterSurvives, dangersOf, type Survival } from '@drover/core/survival';
import type { SpreadNote } from '@drover/search-cluster';
import type { DeployedCluster } from '@drover/stage/cluster';
import { Lasting } from './lasting.ts';
import { leftByCluster, type NodeRemains } from './left-behind.ts';
import { NodeMinutes } from './node-minutes.ts';

const minute = 60_000;
/** An hour after any command ended or was killed nothing of it is left. */
const mostLeftMinutes = 60;
/** Time after which a healed cluster survives again what it should, besides a boot and the bytes. */
const backMinutes = 30;
const usualBootMs = 20 * minute;
/** A drain that takes longer than this is not waited for. */
const mostDrainMinutes = 6 * 60;
/** The default of indices.recovery.max_bytes_per_sec. */
const usualBytesPerSecond = 40 * 1024 ** 2;
const packageFile = '/usr/share/elasticsearch/VERSION';
const pluginFile = '/usr/share/elasticsearch/plugins/discovery-ec2/plugin-descriptor.properties';

interface ClusterLedgerOptions {
  /** Something outside is in the way now: a lost zone, a fault that lasts. */
  troubled(): boolean;
  /** The longest boot that the world draws. @default 20 minutes */
  readonly longestBootMs?: number;
}

/** The accounts of a search cluster: its money, the next loss, and what ended acts have left. */
export class ClusterLedger {
  readonly #deployed: DeployedCluster;
  readonly #options: ClusterLedgerOptions;
  readonly #expect: (holds: boolean, violation: string) => void;
  readonly #left = new Lasting(mostLeftMinutes);
  readonly #drains = new Map<string, number>();
  readonly #money: NodeMinutes;
  /** Where the masters note how they are spread, once they have done it. */
  #stateBucket: string | undefined;
  /** Good minutes in which the cluster did not survive what it should. */
  #inDanger = 0;
  #faults = 0;
  #stopped = false;

  constructor(
    deployed: DeployedCluster,
    options: ClusterLedgerOptions,
    expect: (holds: boolean, violation: string) => void,
  ) {
    this.#deployed = deployed;
    this.#options = options;
    this.#expect = expect;
    this.#money = new NodeMinutes(deployed, (options.longestBootMs ?? usualBootMs) / minute, expect);
  }

  /** Instance-minutes by reason. */
  get minutes(): NodeMinutes['minutes'] {
    return this.#money.minutes;
  }

  start(): void {
    this.#deployed.world.engine.journal.subscribe((entry) => this.#note(entry));
    every(this.#deployed.clock, minute, () => {
      if (!this.#stopped) this.#look();
    });
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Which single losses it should survive, by its present sizes. */
  survival(): Survival {
    const { world, clusterName } = this.#deployed;
    const size = (group: string) => world.observe.group(group)?.desiredCapacity ?? 0;
    const data = this.#deployed.groupNames().filter((name) => name !== groupNames.master(clusterName));
    return clusterSurvives({
      masters: size(groupNames.master(clusterName)),
      dataNodes: Math.min(...data.map(size)),
      zones: world.aws.zones.length,
    });
  }

  /** Dangers of the next single loss, among those that it should survive. */
  dangers(): readonly string[] {
    const { state } = this.#deployed.core;
    const hosts = new Map([...this.#deployed.nodes].map(([machine, node]) => [node.id, { machine, node }] as const));
    const alive = (id: string | undefined) => {
      const host = hosts.get(id ?? '');
      return host?.node.running === true && state.nodes.has(host.node.id) ? host : undefined;
    };
    const voters = state.votingConfig.flatMap((id) => alive(id)?.node.options.zone ?? []);
    const copies = new Map<string, { machine: string; zone: string }[]>();
    for (const copy of allShards(state)) {
      // An index without replicas is its owner's choice.
      const key = `${copy.index}/${copy.shard}`;
      const known = copies.get(key) ?? [];
      copies.set(key, known);
      const host = isActive(copy) ? alive(copy.node) : undefined;
      if (host !== undefined) known.push({ machine: host.machine, zone: host.node.options.zone ?? '' });
    }
    const wanted = (key: string) => (state.routing.get(key.slice(0, key.lastIndexOf('/')))?.[0]?.length ?? 0) > 1;
    const shards = [...copies].filter(([key]) => wanted(key)).map(([, found]) => found);
    return dangersOf({ voters, votes: state.votingConfig.length, shards }, this.survival());
  }

  #note({ kind, source, name, subject = '' }: JournalEntry): void {
    if (kind === 'fault' && source !== 'machine') this.#faults += 1;
    const [, bucket, key] = name === 'PutObject' ? (/^arn:aws:s3:::([^/]+)\/(.+)$/.exec(subject) ?? []) : [];
    if (key === spreadObject) this.#stateBucket = bucket;
  }

  #look(): void {
    if (this.#deployed.cluster.services === undefined) return;
    const good = this.#faults === 0 && !this.#options.troubled() && this.#deployed.core.leader !== undefined;
    this.#faults = 0;
    for (const left of this.#left.note(leftByCluster(this.#remains()), good)) this.#expect(false, left);
    this.#money.look(good, this.#openSpread() !== undefined);
    this.#lookAtDangers(good && !this.#isDraining());
  }

  /**
   * Time in which nodes drain, or a fault lasts, is not counted; a danger that lasts longer than the recovery takes is
   * reported.
   */
  #lookAtDangers(good: boolean): void {
    const dangers = this.dangers();
    if (dangers.length === 0) this.#inDanger = 0;
    else this.#inDanger += Number(good);
    const limit = backMinutes + (this.#options.longestBootMs ?? usualBootMs) / minute + this.#bytesMinutes();
    this.#expect(
      this.#inDanger < limit || this.#inDanger >= limit + 1 || !good,
      `${Math.round(limit)} minutes after everything was healed: ${dangers.join('; ')}`,
    );
  }

  /** As long as it takes to move the bytes of a data node, twice: from the survivors, and back to even. */
  #bytesMinutes(): number {
    const { state } = this.#deployed.core;
    const data = [...this.#deployed.nodes.values()].filter(({ roles }) =>
      roles.some((role) => role.startsWith('data')),
    );
    const bytes = Math.max(0, ...data.map((node) => heldBytes(node)));
    return state.nodes.size === 0 ? 0 : (2 * bytes) / usualBytesPerSecond / 60;
  }

  #isDraining(): boolean {
    const names = this.#deployed.groupNames();
    const leaving = this.#deployed.members().filter(({ group, state }) => {
      return names.includes(group) && state.startsWith('Terminating');
    });
    const ids = new Set(leaving.map(({ id }) => id));
    for (const id of [...this.#drains.keys()]) if (!ids.has(id)) this.#drains.delete(id);
    for (const id of ids) this.#drains.set(id, (this.#drains.get(id) ?? 0) + 1);
    return [...this.#drains.values()].some((minutes) => minutes <= mostDrainMinutes);
  }

  /** The attempt to spread the masters that is noted as under way. */
  #openSpread(): SpreadNote | undefined {
    const bucket = this.#stateBucket;
    const stored = bucket === undefined ? undefined : this.#deployed.world.observe.object(bucket, spreadObject);
    const note = stored && (JSON.parse(Buffer.from(stored).toString()) as SpreadNote);
    return note?.ended === undefined ? note : undefined;
  }

  #remains() {
    const spread = this.#openSpread();
    const masters = this.#deployed.world.observe.group(groupNames.master(this.#deployed.clusterName));
    const isIdle = spread !== undefined && (masters?.desiredCapacity ?? 0) <= spread.masters;
    const { core, nodes } = this.#deployed;
    const { shutdowns, votingExclusions } = core.state;
    const hosts = [...nodes].map(([instanceId, node]) => ({ instanceId, node }));
    const inService = hosts.filter(({ instanceId }) => this.#deployed.stateOf(instanceId) === 'InService');
    return {
      nodes: inService.flatMap(({ instanceId, node }) => this.#nodeRemains(instanceId, node)),
      records: inService.filter(({ node }) => shutdowns.has(node.id)).map(({ node }) => node.name),
      exclusions: votingExclusions.map(({ nodeName }) => nodeName),
      spreads: isIdle ? [new Date(spread.startedAt).toISOString()] : [],
    };
  }

  #nodeRemains(instanceId: string, node: SearchNode): readonly NodeRemains[] {
    const files = this.#deployed.world.machines.get(instanceId)?.files;
    if (files === undefined || !node.running) return [];
    const told = JSON.parse(files.get(searchNodeFacts.file) ?? '{}') as { search_node?: { version?: string } };
    const plugin = /^elasticsearch\.version=(.*)$/m.exec(files.get(pluginFile) ?? '')?.[1];
    const { shutdowns } = this.#deployed.core.state;
    const written = {
      'its facts': told.search_node?.version,
      'its package': files.get(packageFile),
      'its plugin': plugin,
    };
    return [{ name: node.name, version: node.version, files: written, restarts: shutdowns.has(node.id) }];
  }
}

const heldBytes = (node: SearchNode) => [...node.copies.values()].reduce((sum, { store }) => sum + store.sizeBytes, 0);
