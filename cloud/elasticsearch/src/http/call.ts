import type { Document, Value } from '@drover/formats';
import { localState, waitForMaster } from '../engine/coordination/cluster-access.ts';
import type { MasterServices } from '../engine/coordination/master-services.ts';
import type { SearchNode } from '../engine/coordination/search-node.ts';
import { splitList } from '../engine/coordination/settings.ts';
import { type ElasticsearchError, illegalArgument } from '../engine/errors.ts';
import { type BlockLevel, refuseByCluster } from '../engine/indices/blocks.ts';
import type { SearchCluster } from '../engine/search-cluster.ts';
import type { Principal } from '../engine/security/authenticate.ts';
import type { ClusterState } from '../engine/state/cluster-state.ts';
import { atLeast, majorOf } from '../engine/state/versions.ts';
import { parseTimeMs } from '../engine/values/units.ts';
import { isDocument } from '../engine/values/value.ts';

/** One request on its way through a node. */
export class Call {
  readonly cluster: SearchCluster;
  readonly node: SearchNode;
  readonly method: string;
  readonly path: string;
  readonly params: ReadonlyMap<string, string>;
  /** The decoded document, undefined when there was no body. */
  readonly body: Value;
  /** The lines of a line-oriented body. */
  readonly lines: readonly Value[] | undefined;
  readonly rawBody: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** Deprecations to put into `Warning` headers. */
  readonly warnings: string[] = [];
  /** The user of the request; undefined without security. */
  user: Principal | undefined;
  /** Checks privileges, here and again at the master. The server validates a request first, so this waits until the cluster is looked at. */
  permit: (at?: SearchNode) => void = () => {};
  /** The error for a part of the request that the user may not do, or undefined. */
  refusal: (action: string, index: string) => ElasticsearchError | undefined = () => undefined;
  /** The levels at which a block of the cluster, or of one of the indices, refuses the request. */
  blockedAt: { readonly cluster?: BlockLevel | undefined; readonly indices?: BlockLevel | undefined } = {};
  /** Whether wildcards may stand for an index. */
  visible: (index: string) => boolean = () => true;

  constructor(cluster: SearchCluster, node: SearchNode, request: CallRequest) {
    this.cluster = cluster;
    this.node = node;
    this.method = request.method;
    this.path = request.path;
    this.params = request.params;
    this.body = request.body;
    this.lines = request.lines;
    this.rawBody = request.rawBody;
    this.headers = request.headers;
  }

  get now(): number {
    return this.cluster.engine.clock.now();
  }

  get version(): string {
    return this.node.version;
  }

  atLeast(version: string): boolean {
    return atLeast(this.version, version);
  }

  get major(): number {
    return majorOf(this.version);
  }

  text(name: string): string | undefined {
    return this.params.get(name);
  }

  list(name: string): string[] {
    return splitList(this.params.get(name) ?? '');
  }

  flag(name: string, fallback = false): boolean {
    const value = this.params.get(name);
    if (value === undefined) return fallback;
    if (value === '' || value === 'true') return true;
    if (value === 'false') return false;
    throw illegalArgument(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
  }

  integer(name: string): number | undefined {
    const value = this.params.get(name);
    if (value === undefined) return undefined;
    if (!/^[+-]?\d+$/.test(value))
      throw illegalArgument(`Failed to parse int parameter [${name}] with value [${value}]`, {
        type: 'number_format_exception',
        reason: `For input string: "${value}"`,
      });
    return Number(value);
  }

  timeMs(name: string, fallbackMs: number): number {
    const value = this.params.get(name);
    if (value === undefined) return fallbackMs;
    const ms = parseTimeMs(value);
    if (ms === undefined)
      throw illegalArgument(
        `failed to parse setting [${name}] with value [${value}] as a time value: unit is missing or unrecognized`,
      );
    return ms;
  }

  get human(): boolean {
    return this.flag('human');
  }

  /** The body as an object; an empty one when there is none. */
  object(): Document {
    return isDocument(this.body) ? this.body : {};
  }

  /** This node's state, without asking the master. */
  localState(): ClusterState {
    this.permit();
    return localState(this.node);
  }

  /** The same with the master that the node follows: one that has lost its master keeps the state. */
  seenState(): ClusterState {
    const state = this.localState();
    const masterId = this.node.view()?.masterId;
    return state.masterId === masterId ? state : ({ ...state, masterId } as ClusterState);
  }

  /** The cluster as its master knows it; waits for one up to `master_timeout`. */
  async master(timeoutMs = this.timeMs('master_timeout', 30_000)): Promise<MasterServices> {
    this.permit();
    const services = await waitForMaster(this.cluster, this.node, timeoutMs);
    const master = this.cluster.nodes.find(({ id }) => id === services.core.state.masterId);
    if (master !== undefined && master !== this.node) this.permit(master);
    if (this.blockedAt.cluster !== undefined) refuseByCluster(services.core.state, this.blockedAt.cluster);
    return services;
  }

  /** The state to read from: the node's own with `local`, the master's otherwise. */
  async state(): Promise<ClusterState> {
    if (this.flag('local')) return this.seenState();
    return (await this.master()).core.state;
  }
}

export interface CallRequest {
  readonly method: string;
  readonly path: string;
  readonly params: ReadonlyMap<string, string>;
  readonly body: Value;
  readonly lines: readonly Value[] | undefined;
  readonly rawBody: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}
