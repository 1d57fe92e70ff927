import { describeError, TerminalError } from '@drover/core';
import { lowWatermark } from '../../decide/drain/check-disk.ts';
import { loneShards } from '../../decide/drain/check-last-copy.ts';
import type {
  BeforeFacts,
  DecommissionCase,
  DecommissionFacts,
  DrainHistory,
  DrainingFacts,
  PlacementFacts,
} from '../../decide/drain/decommission-facts.ts';
import { stalledShard } from '../../decide/drain/explain-stall.ts';
import { leaseHolders } from '../../decide/drain/lease.ts';
import { isPassing } from '../../model/health.ts';
import type { NodeVerdict } from '../../model/shard.ts';
import type { ShutdownStatus } from '../../model/shutdown.ts';
import { isDrain, type ShutdownRecord } from '../../model/shutdown.ts';
import type { Topology } from '../../model/topology.ts';
import type {
  AllocationExplainer,
  ClusterHealthReader,
  DiskReader,
  ShardLister,
  ShutdownRecords,
  TopologyReader,
  VotingExclusions,
} from '../../ports.ts';

/** The roles of Elasticsearch that a drain needs. */
export interface DecommissionSearch {
  readonly health: ClusterHealthReader;
  readonly topology: TopologyReader;
  readonly records: ShutdownRecords;
  readonly shards: ShardLister;
  readonly explainer: AllocationExplainer;
  readonly disks: DiskReader;
  readonly voting: VotingExclusions;
}

/** A node with more lone shards than this is judged by the first ones: they are alike. */
export const explainLimit = 100;

/**
 * Reads what the decision needs. A failure that may pass is a fact ("unreadable"), so that the hook is kept alive
 * meanwhile; one that will not pass ends the run.
 */
export async function gatherDecommission(
  search: DecommissionSearch,
  context: DecommissionCase,
  history: DrainHistory,
  now: number,
): Promise<DecommissionFacts> {
  try {
    const topology = await search.topology.topology();
    const records = await search.records.list();
    const own = records.find((record) => record.nodeId === context.nodeId && isDrain(record));
    const seen = { case: context, history: afterReading(history, own?.status, now), topology, records };
    return own === undefined ? await gatherBefore(search, seen, now) : await gatherDraining(search, seen, own);
  } catch (error) {
    if (error instanceof TerminalError) throw error;
    return {
      stage: 'unreadable',
      case: context,
      history: afterReading(history, undefined, now),
      error: describeError(error),
    };
  }
}

interface Seen {
  readonly case: DecommissionCase;
  readonly history: DrainHistory;
  readonly topology: Topology;
  readonly records: readonly ShutdownRecord[];
}

async function gatherBefore(search: DecommissionSearch, seen: Seen, now: number): Promise<BeforeFacts> {
  const health = await search.health.health();
  const voting = await search.voting.read();
  const held = leaseHolders(seen.records, seen.topology, now).some(({ node }) => node.id !== seen.case.nodeId);
  const history = {
    ...seen.history,
    ...(held ? { leaseLastHeldAt: now } : {}),
    passingSince: isPassing(health) ? (seen.history.passingSince ?? now) : undefined,
  };
  const placement = held || health.status !== 'green' ? undefined : await gatherPlacement(search, seen);
  return { ...seen, stage: 'before', history, health, voting, placement };
}

async function gatherPlacement(search: DecommissionSearch, seen: Seen): Promise<PlacementFacts> {
  const copies = await search.shards.shards();
  const leaving = new Set(seen.records.map((record) => record.nodeId));
  const lone: { shard: PlacementFacts['copies'][number]; verdicts: readonly NodeVerdict[] }[] = [];
  for (const shard of loneShards(copies, seen.case.nodeId, leaving).slice(0, explainLimit))
    lone.push({ shard, verdicts: await search.explainer.explain(shard) });
  const disks = await search.disks.disks();
  const settings = await search.disks.settings();
  return { copies, lone, disks, lowWatermark: lowWatermark(settings), recovery: settings };
}

async function gatherDraining(search: DecommissionSearch, seen: Seen, own: ShutdownRecord): Promise<DrainingFacts> {
  const voting = own.status === 'COMPLETE' ? await search.voting.read() : undefined;
  return { ...seen, stage: 'draining', own, voting, stallVerdicts: await stallVerdicts(search, own) };
}

/** The record itself explains a stall since Elasticsearch 7.16; before, the explanation has to be asked for. */
async function stallVerdicts(search: DecommissionSearch, own: ShutdownRecord): Promise<readonly NodeVerdict[]> {
  if (own.status !== 'STALLED' || own.verdicts.length > 0) return own.verdicts;
  const shard = stalledShard(own);
  return shard === undefined ? [] : await search.explainer.explain(shard);
}

export const noDrainHistory: DrainHistory = { completeReadings: 0, stalledReadings: 0, hookGone: false };

/** Counts readings in a row; `undefined` (no record, or nothing could be read) breaks every row. */
export function afterReading(history: DrainHistory, status: ShutdownStatus | undefined, now: number): DrainHistory {
  const stalled = status === 'STALLED';
  return {
    ...history,
    completeReadings: status === 'COMPLETE' ? history.completeReadings + 1 : 0,
    stalledReadings: stalled ? history.stalledReadings + 1 : 0,
    stalledSince: stalled ? (history.stalledSince ?? now) : undefined,
  };
}
