import type { Engine, HttpRequest, HttpResponse } from '@drover/cloud-engine';
import type { Random, Timer } from '@drover/core';
import type { FormedCluster } from './coordination/formed-cluster.ts';
import { MasterServices } from './coordination/master-services.ts';
import { Membership } from './coordination/membership.ts';
import { type NodeNetwork, type NodeOptions, SearchNode } from './coordination/search-node.ts';
import type { FlatSettings } from './coordination/settings.ts';
import { Scrolls } from './documents/scrolls.ts';
import type { SecuritySettings } from './security/authenticate.ts';
import { Security } from './security/security.ts';
import { keepSecurityIndex } from './security/security-index.ts';
import { memoryStores, type OpenStore } from './snapshots/object-store.ts';
import { base64Id } from './state/ids.ts';

export interface SearchClusterOptions {
  /** @default elasticsearch */
  readonly clusterName?: string;
  /** The version that nodes report and respond as. @default 8.19.21 */
  readonly version?: string;
  /** Lines of the configuration file that all nodes share, flat. */
  readonly settings?: FlatSettings;
  /** Whether master-eligible nodes without `initialMasterNodes` form a cluster by themselves. @default true */
  readonly autoBootstrap?: boolean;
  /** Names of installed plugins, as the nodes report them. */
  readonly plugins?: readonly string[];
  /** Users, roles and anonymous access; absent means that security is off. */
  readonly security?: SecuritySettings;
  /** Storage behind snapshot repositories. @default in memory */
  readonly openStore?: OpenStore;
}

/** A running node's handler of HTTP requests. */
export type Respond = (cluster: SearchCluster, node: SearchNode, request: HttpRequest) => Promise<HttpResponse>;

/** Nodes that can find each other, the network between them, and what happens to them. */
export class SearchCluster {
  readonly engine: Engine;
  readonly options: SearchClusterOptions;
  readonly clusterName: string;
  readonly version: string;
  readonly random: Random;
  readonly scrolls: Scrolls;
  readonly security: Security | undefined;
  #nodes: SearchNode[] = [];
  #services = new Map<FormedCluster, MasterServices>();
  #membership: Membership;
  /** Which side of a partition a node is on; nodes of one side reach each other. */
  #sides = new Map<SearchNode, string>();
  /** Processes that start: one that is stopped meanwhile never comes up. */
  #booting = new Map<SearchNode, Timer>();
  #network: NodeNetwork;
  #addresses = 0;
  #openStore: OpenStore;
  #respond: Respond;

  constructor(engine: Engine, options: SearchClusterOptions, respond: Respond) {
    this.engine = engine;
    this.options = options;
    this.#respond = respond;
    this.clusterName = options.clusterName ?? 'elasticsearch';
    this.version = options.version ?? '8.19.21';
    this.random = engine.random.fork(`search/${this.clusterName}`);
    this.security = options.security === undefined ? undefined : new Security(options.security);
    this.scrolls = new Scrolls(this.random.fork('scrolls'));
    this.#openStore = options.openStore ?? memoryStores();
    this.#network = this.#nodeNetwork();
    this.#membership = this.#newMembership();
  }

  get nodes(): readonly SearchNode[] {
    return this.#nodes;
  }

  /** `path.repo`: directories that file repositories may be in. */
  get repositoryPaths(): readonly string[] {
    const paths = this.options.settings?.['path.repo'] ?? [];
    return typeof paths === 'string' ? [paths] : paths;
  }

  get membership(): Membership {
    return this.#membership;
  }

  /** Adds a machine with an empty data directory and starts its node. */
  addNode(options: NodeOptions): SearchNode {
    this.#addresses += 1;
    const ip = options.ip ?? `10.0.${this.#addresses >> 8}.${this.#addresses & 255}`;
    const node = new SearchNode(base64Id(this.random), options, ip, options.version ?? this.version, this.#network);
    this.#nodes.push(node);
    node.start();
    return node;
  }

  /** The machine is lost with its disk. */
  removeNode(node: SearchNode): void {
    node.destroy();
  }

  node(name: string): SearchNode {
    const found = this.#nodes.find((node) => node.name === name || node.id === name);
    if (found === undefined)
      throw new Error(`no search node ${name}; there are ${this.#nodes.map((node) => node.name).join(', ')}`);
    return found;
  }

  /** Splits the network: nodes of different groups cannot reach each other; nodes in no group form one more. */
  partition(...groups: readonly (readonly SearchNode[])[]): void {
    this.#sides.clear();
    groups.forEach((group, side) => {
      for (const node of group) this.#sides.set(node, `side ${side}`);
    });
    this.#membership.connectivityChanged('silent');
  }

  /** All nodes reach each other again. */
  heal(): void {
    this.#sides.clear();
    this.#membership.connectivityChanged('silent');
  }

  /** Adds `bytesPerShard` to every shard of an index, on all copies: experiments need time to copy. */
  inflate(index: string, bytesPerShard: number): void {
    const stores = this.#nodes.flatMap((node) => [...node.copies.values()].filter((copy) => copy.index === index));
    for (const { store } of stores) store.ballastBytes = bytesPerShard;
    this.#network.diskChanged();
  }

  /** The services on the master of the cluster that a node is part of. */
  servicesOf(node: SearchNode): MasterServices | undefined {
    return node.core === undefined ? undefined : this.#services.get(node.core);
  }

  /** The cluster that has formed; with several, the one most nodes are in. */
  get services(): MasterServices | undefined {
    const size = (services: MasterServices) => this.#nodes.filter((node) => node.core === services.core).length;
    return [...this.#services.values()].sort((a, b) => size(b) - size(a))[0];
  }

  #newMembership(): Membership {
    const { clock, journal } = this.engine;
    return new Membership({
      clock,
      journal,
      random: this.random,
      autoBootstrap: this.options.autoBootstrap ?? true,
      nodes: () => this.#nodes,
      connected: (a, b) => this.#connected(a, b),
      newCore: () => this.#newCore(),
      rejoined: (core) => this.#services.get(core)!.rejoinCopies(),
      reroute: (core, state) => this.#services.get(core)!.allocation.reroute(state),
      afterNodesLeft: (core, state) => this.#services.get(core)!.allocation.afterNodesLeft(state),
    });
  }

  #newCore(): FormedCluster {
    const services = new MasterServices({
      engine: this.engine,
      random: this.random.fork(`core ${this.#services.size}`),
      version: this.version,
      config: this.options.settings ?? {},
      openStore: this.#openStore,
      nodes: () => this.#nodes,
    });
    this.#services.set(services.core, services);
    if (this.security !== undefined) keepSecurityIndex(this, services);
    return services.core;
  }

  #connected(a: SearchNode, b: SearchNode): boolean {
    return a.running && b.running && this.#sides.get(a) === this.#sides.get(b);
  }

  #nodeNetwork(): NodeNetwork {
    return {
      handle: (node, request) => this.#handle(node, request),
      reachableFrom: (node) =>
        new Set(this.#nodes.filter((other) => other === node || this.#connected(node, other)).map((other) => other.id)),
      connected: (a, b) => a === b || this.#connected(a, b),
      start: (node) => this.#start(node),
      stop: (node, how) => this.#stop(node, how),
      remove: (node) => {
        this.#nodes = this.#nodes.filter((other) => other !== node);
      },
      diskChanged: () => {
        for (const services of this.#services.values()) services.disk.touch();
      },
      sleep: (ms) => this.engine.clock.sleep(ms),
    };
  }

  #start(node: SearchNode): void {
    if (node.running || this.#booting.has(node)) return;
    const up = () => {
      this.#booting.delete(node);
      if (!node.load()) return this.#note('cannot downgrade a node', node);
      node.running = true;
      node.startedAtMs = this.engine.clock.now();
      node.ephemeralId = base64Id(this.random);
      this.#note('started', node);
      this.#membership.started(node);
    };
    const bootMs = node.options.bootMs ?? 0;
    if (bootMs > 0) this.#booting.set(node, this.engine.clock.after(bootMs, up));
    else up();
  }

  #stop(node: SearchNode, how: 'stopped' | 'crashed' | 'vanished'): void {
    this.#booting.get(node)?.cancel();
    this.#booting.delete(node);
    if (!node.running) return;
    node.running = false;
    node.attached = false;
    node.hasState = false;
    node.stale = undefined;
    node.recoveries.clear();
    node.reads.clear();
    node.requests = 0;
    node.rejected.clear();
    node.separateCopies(this.engine.clock.now());
    this.#note(how, node);
    this.#membership.connectivityChanged(how === 'vanished' ? 'silent' : 'noticed');
  }

  #note(name: string, node: SearchNode): void {
    this.engine.journal.record({ kind: 'transition', source: 'search', name, subject: node.name });
  }

  async #handle(node: SearchNode, request: HttpRequest): Promise<HttpResponse> {
    if (!node.running) throw Object.assign(new Error(`connect ECONNREFUSED ${node.ip}:9200`), { code: 'ECONNREFUSED' });
    node.requests += 1;
    return await this.#respond(this, node, request);
  }
}
