import { type Refusal, refuse } from '@drover/core';
import { instanceBytesPerSecond } from '@drover/core/instance-bandwidth';
import type { GroupInstance } from '../../model/lifecycle.ts';
import type { ShardCopy } from '../../model/shard.ts';
import { type ClusterNode, isDataNode, type Topology, takersOf } from '../../model/topology.ts';
import type { RecoverySettings } from '../../ports.ts';
import { parseByteSize } from './check-disk.ts';

/** How long CloudFormation waits for the refresh of a group (UpdatePolicy attribute, AutoScalingInstanceRefresh). */
export const stackUpdateLimitMs = 36 * 3_600_000;

/** Opening a store, handshakes and the last operations of one recovery. Estimated. */
const shardMs = 1_000;

/** The limits of recoveries. */
export interface RecoverySpeed {
  /** Of each node, in and out together; infinite when nothing limits it. */
  readonly bytesPerSecond: number;
  /** Recoveries of a node at the same time. */
  readonly concurrent: number;
}

/** The speed that settings and machine allow; a setting of 0 or less is no limit, and one that cannot be read neither. */
export function recoverySpeed(settings: RecoverySettings, machineBytesPerSecond?: number): RecoverySpeed {
  const set = parseByteSize(settings.maxBytesPerSec ?? '') ?? 0;
  return {
    bytesPerSecond: Math.min(
      set > 0 ? set : Number.POSITIVE_INFINITY,
      machineBytesPerSecond ?? Number.POSITIVE_INFINITY,
    ),
    concurrent: Math.max(1, Math.min(count(settings.concurrentIncoming), count(settings.concurrentOutgoing))),
  };
}

/** Elasticsearch's own default where it says nothing. */
const count = (text: string | undefined) => Number(text ?? 2) || 2;

/** Bytes a second that the slowest of the instances can copy; undefined when no type is known. */
export function slowestMachine(instances: readonly GroupInstance[]): number | undefined {
  const known = instances.flatMap(({ instanceType = '' }) => instanceBytesPerSecond(instanceType) ?? []);
  return known.length === 0 ? undefined : Math.min(...known);
}

export interface MoveFacts {
  readonly nodeId: string;
  readonly topology: Topology;
  /** Nodes that take no shards because they leave too. */
  readonly leaving: ReadonlySet<string>;
  readonly copies: readonly ShardCopy[];
  readonly speed: RecoverySpeed;
}

export interface DrainForecast {
  readonly shards: number;
  readonly bytes: number;
  /** Of each node. */
  readonly bytesPerSecond: number;
  readonly ms: number;
}

/**
 * How long a node would drain. A replica is copied from its primary, wherever that is, and all that goes in and out of a node
 * shares its limit: the node with the most to copy decides.
 */
export function forecastDrain(facts: MoveFacts): DrainForecast {
  const { nodeId, speed } = facts;
  const moves = movesOf(facts);
  const load = new Map<string, number>();
  const add = (node: string, bytes: number) => load.set(node, (load.get(node) ?? 0) + bytes);
  for (const { bytes, source, takers } of moves) {
    add(source, bytes);
    const target = takers.reduce((least, node) => ((load.get(node) ?? 0) < (load.get(least) ?? 0) ? node : least));
    add(target, bytes);
  }
  const copyMs = (1000 * Math.max(0, ...load.values())) / speed.bytesPerSecond;
  return {
    shards: facts.copies.filter((copy) => copy.nodeId === nodeId).length,
    bytes: moves.reduce((sum, { bytes }) => sum + bytes, 0),
    bytesPerSecond: speed.bytesPerSecond,
    ms: copyMs * idling(moves.length / speed.concurrent) + (moves.length / speed.concurrent) * shardMs,
  };
}

/** Few recoveries at a time do not keep every node busy when many shards take turns: a fifth more, by drains of the embedded cloud. */
const idling = (rounds: number) => 1 + 0.2 * (1 - Math.min(1, 4 / Math.max(rounds, 4)));

/** The drain of every data node, one after the other, as a deployment that replaces them does it. */
export function forecastEach(
  facts: Pick<MoveFacts, 'topology' | 'copies' | 'speed'>,
): readonly (DrainForecast & { readonly node: ClusterNode })[] {
  const data = facts.topology.nodes.filter(isDataNode);
  return data.map((node) => ({ node, ...forecastDrain({ ...facts, nodeId: node.id, leaving: new Set() }) }));
}

interface Move {
  readonly bytes: number;
  readonly source: string;
  /** Nodes without a copy of the shard. */
  readonly takers: readonly string[];
}

/** Copies that at least one other node lacks, the largest first: so they are spread most evenly. */
function movesOf({ nodeId, topology, leaving, copies }: MoveFacts): readonly Move[] {
  const others = takersOf(topology, nodeId, leaving);
  const holders = new Map<string, ShardCopy[]>();
  for (const copy of copies) holders.set(keyOf(copy), [...(holders.get(keyOf(copy)) ?? []), copy]);
  return copies
    .filter((copy) => copy.nodeId === nodeId)
    .map((copy) => {
      const all = holders.get(keyOf(copy))!;
      return {
        bytes: copy.bytes,
        source: all.find(({ primary }) => primary)?.nodeId ?? nodeId,
        takers: others.map(({ id }) => id).filter((id) => !all.some((held) => held.nodeId === id)),
      };
    })
    .filter(({ takers }) => takers.length > 0)
    .sort((a, b) => b.bytes - a.bytes);
}

const keyOf = ({ index, shard }: ShardCopy) => `${index}/${shard}`;

/** Observations of a drain that runs. */
export interface Observed {
  readonly bytes: number;
  readonly ms: number;
}

/** Time before a measured rate means anything: the first shards are only being opened. */
const measuredAfterMs = 5 * 60_000;

/** How long the rest takes: by the rate that was measured, and before there is one by the forecast; undefined without either. */
export function forecastRest(
  bytesLeft: number,
  observed: Observed | undefined,
  bytesPerSecond: number | undefined,
): number | undefined {
  const measured =
    observed !== undefined && observed.ms >= measuredAfterMs && observed.bytes > 0
      ? (1000 * observed.bytes) / observed.ms
      : bytesPerSecond;
  return measured === undefined ? undefined : (1000 * bytesLeft) / measured;
}

/** Refuses a drain that would be cut off: what it has moved by then would have to move back. */
export function checkTime(
  nodeId: string,
  forecast: DrainForecast,
  leftMs: number,
): Refusal<'cannot-end-in-time'> | undefined {
  if (forecast.ms <= leftMs) return undefined;
  return refuse(
    'cannot-end-in-time',
    `${forecastText(nodeId, forecast)}, but there are only ${timeText(leftMs)}`,
    `wait longer: --wait-until-complete ${waitSeconds(forecast.ms)}; or go faster, for this time: cluster-cli api PUT /_cluster/settings -d '{"transient":{"indices.recovery.max_bytes_per_sec":"${fasterMb(forecast, leftMs)}mb"}}', for good: input indices_recovery_max_bytes_per_sec; or keep the data in place: cluster-cli cluster prepare-restart; or begin all the same: --allow-timeout`,
  );
}

/** `512.0 GiB in 8 shards have to move from node X, which takes about 3 h 38 min at 40 MiB/s for each node` */
export const forecastText = (nodeId: string, { bytes, shards, ms, bytesPerSecond }: DrainForecast): string =>
  `${(bytes / 2 ** 30).toFixed(1)} GiB in ${shards} ${shards === 1 ? 'shard' : 'shards'} have to move from node ${nodeId}, which takes about ${timeText(ms)} at ${(bytesPerSecond / 2 ** 20).toFixed(0)} MiB/s for each node`;

/** `3 h 38 min` */
const timeText = (ms: number) => {
  const minutes = Math.ceil(Math.max(0, ms) / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** A quarter more than the forecast, in full hours. */
const waitSeconds = (ms: number) => 3_600 * Math.ceil((1.25 * ms) / 3_600_000);
const fasterMb = ({ bytesPerSecond, ms }: DrainForecast, leftMs: number) =>
  Math.ceil((1.25 * bytesPerSecond * ms) / Math.max(leftMs, 60_000) / 2 ** 20);
