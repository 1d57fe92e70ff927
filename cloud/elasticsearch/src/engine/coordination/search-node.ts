import type { HttpHandler } from '@drover/cloud-engine';
import type { RecoveryState } from '../allocation/recovery-state.ts';
import { ReadCounters } from '../documents/read-counts.ts';
import type { ShardStore } from '../documents/shard-store.ts';
import type { NodeSecurity } from '../security/authenticate.ts';
import { allShards, type ClusterState } from '../state/cluster-state.ts';
import type { DiscoveryNode } from '../state/node-info.ts';
import { atLeast } from '../state/versions.ts';
import type { FormedCluster } from './formed-cluster.ts';
import type { FlatSettings } from './settings.ts';

/** A shard copy in a node's data directory. It outlives the process. */
export interface ShardCopy {
  readonly index: string;
  readonly indexUUID: string;
  readonly shard: number;
  readonly allocationId: string;
  store: ShardStore;
  /** The store is not shared with copies that go on being written. */
  separate?: boolean;
}

export interface NodeOptions {
  readonly name: string;
  /** Version that is installed at first. @default the cluster's */
  readonly version?: string;
  /** @default every role of a default node */
  readonly roles?: readonly string[];
  /** Shorthand for the attribute `zone`. */
  readonly zone?: string;
  /** `node.attr.*` */
  readonly attributes?: Readonly<Record<string, string>>;
  /** @default a private address */
  readonly ip?: string;
  /** @default the address */
  readonly host?: string;
  /** @default 9200 */
  readonly httpPort?: number;
  /** @default 9300 */
  readonly transportPort?: number;
  /** Size of the data disk. @default 100 GiB */
  readonly diskBytes?: number;
  /** Bytes on the data disk that are not Elasticsearch's. @default 2 GiB */
  readonly otherBytes?: number;
  /**
   * Bytes a second that network and disk of the machine allow to recoveries, in and out together. @default as fast as
   * the settings say
   */
  readonly bytesPerSecond?: number;
  /** Memory of the machine; the heap is half of it. @default 8 GiB */
  readonly memoryBytes?: number;
  /** `cluster.initial_master_nodes` of this node: names that together form the first voting configuration. */
  readonly initialMasterNodes?: readonly string[];
  /** Time from start to listening. @default 0 */
  readonly bootMs?: number;
  /**
   * How long after its start the node cannot read the security index and returns 401 to every user with a password,
   * also the right one. @default 0
   */
  readonly securityStartMs?: number;
  /** `bootstrap.password` in the keystore of this node, which it takes until the user's password is stored. @default the cluster's */
  readonly bootstrapPassword?: string;
  /** `roles.yml` and `xpack.security.authc.anonymous.*` of this node. @default the cluster's */
  readonly security?: NodeSecurity;
  /** Other lines of this node's configuration file, flat. */
  readonly settings?: Readonly<Record<string, string | readonly string[]>>;
}

/** A node's belief about the cluster. */
export interface NodeView {
  readonly state: ClusterState;
  /** The master it follows, as far as it knows. */
  readonly masterId: string | undefined;
}

/** One Elasticsearch process with its data directory. */
export class SearchNode {
  /** Kept in the data directory: the same after a restart. */
  readonly id: string;
  readonly name: string;
  readonly options: NodeOptions;
  readonly settings: FlatSettings;
  readonly ip: string;
  readonly host: string;
  readonly copies = new Map<string, ShardCopy>();
  /** How the present copies were recovered, by allocation id. Lost at a restart. */
  readonly recoveries = new Map<string, RecoveryState>();
  /** Users of the file realm of this node alone (`elasticsearch-users`), with their password and roles. */
  readonly fileUsers = new Map<string, { readonly password: string; readonly roles: readonly string[] }>();
  /** Reads by the present copies. Lost at a restart. */
  readonly reads = new ReadCounters();
  /** HTTP requests since the start. */
  requests = 0;
  /** Requests that a thread pool refused since the start. */
  readonly rejected = new Map<string, number>();
  /** While set, the heap is as full as this, in percent: a fault. */
  heapPercent: number | undefined;
  /** The installed version; it takes effect at the next start. */
  #installed: string;
  /** Of the process, or of the last one: kept in the data directory. */
  #version: string;
  diskBytes: number;
  otherBytes: number;
  /** While set, shards cannot be made on this node, for this reason: a fault. */
  shardFault: string | undefined;
  running = false;
  startedAtMs = 0;
  ephemeralId = '';
  /** The cluster whose metadata is in the data directory. */
  core: FormedCluster | undefined;
  /** Following the present leader of `core`. */
  attached = false;
  /** In-memory cluster state survives as long as the process. */
  hasState = false;
  /** The last view of the node, while it is not attached. */
  stale: NodeView | undefined;
  #network: NodeNetwork;

  constructor(id: string, options: NodeOptions, ip: string, version: string, network: NodeNetwork) {
    this.id = id;
    this.#installed = version;
    this.#version = version;
    this.name = options.name;
    this.options = options;
    this.settings = options.settings ?? {};
    this.ip = ip;
    this.host = options.host ?? ip;
    this.diskBytes = options.diskBytes ?? 100 * 1024 ** 3;
    this.otherBytes = options.otherBytes ?? 2 * 1024 ** 3;
    this.#network = network;
  }

  /** Responds to HTTP as the process does; refuses the connection when there is no process. */
  get handle(): HttpHandler {
    return (request) => this.#network.handle(this, request);
  }

  get roles(): readonly string[] {
    return [...(this.options.roles ?? defaultRoles)].sort();
  }

  get heapBytes(): number {
    return Math.floor((this.options.memoryBytes ?? 8 * 1024 ** 3) / 2);
  }

  /** Version of the process, or of the last one. */
  get version(): string {
    return this.#version;
  }

  /** Puts another version of the package in place; the process goes on with the old one until it is started again. */
  install(version: string): void {
    this.#installed = version;
  }

  /** Takes what is installed into use. Refused for a version older than the data directory's: such a process ends at once. */
  load(): boolean {
    if (!atLeast(this.#installed, this.#version)) return false;
    this.#version = this.#installed;
    return true;
  }

  /** As the cluster state records it. */
  discovery(): DiscoveryNode {
    const zone: Record<string, string> = this.options.zone === undefined ? {} : { zone: this.options.zone };
    return {
      id: this.id,
      ephemeralId: this.ephemeralId,
      name: this.name,
      host: this.host,
      ip: this.ip,
      transportPort: this.options.transportPort ?? 9300,
      httpPort: this.options.httpPort ?? 9200,
      roles: this.roles,
      attributes: { ...zone, ...this.options.attributes, 'xpack.installed': 'true' },
      version: this.#version,
    };
  }

  /** The cluster state this node works with and the master it believes in. */
  view(): NodeView | undefined {
    if (this.attached && this.core !== undefined) return { state: this.core.state, masterId: this.core.state.masterId };
    return this.stale;
  }

  /** Ids of the running nodes it can exchange packets with, itself included. */
  reachableIds(): ReadonlySet<string> {
    return this.#network.reachableFrom(this);
  }

  canReach(other: SearchNode): boolean {
    return this.#network.connected(this, other);
  }

  /** Whether it follows a master that it can reach and that has a quorum. */
  get reachesMaster(): boolean {
    const leader = this.core?.leader;
    return this.attached && leader !== undefined && this.core!.canCommit && leader.canReach(this);
  }

  putCopy(copy: ShardCopy): void {
    for (const [id, known] of this.copies)
      if (known.indexUUID === copy.indexUUID && known.shard === copy.shard && id !== copy.allocationId) {
        this.copies.delete(id);
        this.recoveries.delete(id);
      }
    this.copies.set(copy.allocationId, copy);
  }

  /** Copies here stop following what others write. */
  separateCopies(nowMs: number, apart: (copy: ShardCopy) => boolean = () => true): void {
    for (const copy of this.copies.values()) {
      if (copy.separate === true || !apart(copy)) continue;
      copy.store = copy.store.fork(nowMs);
      copy.separate = true;
    }
  }

  get indexBytes(): number {
    let bytes = 0;
    for (const copy of this.copies.values()) bytes += copy.store.sizeBytes;
    return bytes;
  }

  /** UUIDs of the indices that have a folder on its disk; it is made when a copy begins to arrive. */
  get indicesOnDisk(): ReadonlySet<string> {
    const found = new Set([...this.copies.values()].map(({ indexUUID }) => indexUUID));
    if (this.attached && this.core !== undefined)
      for (const { node, relocatingNode, indexUUID } of allShards(this.core.state))
        if (node === this.id || relocatingNode === this.id) found.add(indexUUID);
    return found;
  }

  get freeBytes(): number {
    return Math.max(0, this.diskBytes - this.otherBytes - this.indexBytes);
  }

  // Acts of an operator or a fault on the machine:
  start(): void {
    this.#network.start(this);
  }

  /** A clean stop of the service. */
  stop(): void {
    this.#network.stop(this, 'stopped');
  }

  /** The process dies; its connections break at once. With `silently` other nodes notice only when their checks time out. */
  crash(options: { readonly silently?: boolean } = {}): void {
    this.#network.stop(this, options.silently === true ? 'vanished' : 'crashed');
  }

  async restart(downMs = 10_000): Promise<void> {
    this.stop();
    await this.#network.sleep(downMs);
    this.start();
  }

  /** Fills the disk until this many bytes are free. */
  setFreeBytes(freeBytes: number): void {
    this.otherBytes = Math.max(0, this.diskBytes - this.indexBytes - freeBytes);
    this.#network.diskChanged();
  }

  /** Its file system was grown. */
  setDiskBytes(bytes: number): void {
    this.diskBytes = bytes;
    this.#network.diskChanged();
  }

  /** The machine is lost with its disk. */
  destroy(): void {
    this.crash();
    this.copies.clear();
    this.#network.remove(this);
  }
}

/** The part of a cluster that its nodes need. */
export interface NodeNetwork {
  handle(node: SearchNode, request: Parameters<HttpHandler>[0]): ReturnType<HttpHandler>;
  reachableFrom(node: SearchNode): ReadonlySet<string>;
  connected(a: SearchNode, b: SearchNode): boolean;
  start(node: SearchNode): void;
  stop(node: SearchNode, how: 'stopped' | 'crashed' | 'vanished'): void;
  remove(node: SearchNode): void;
  diskChanged(): void;
  sleep(ms: number): Promise<void>;
}

/** Roles of a node that sets none ("Node settings"). */
export const defaultRoles = [
  'data',
  'data_cold',
  'data_content',
  'data_frozen',
  'data_hot',
  'data_warm',
  'ingest',
  'master',
  'ml',
  'remote_cluster_client',
  'transform',
] as const;
