import {
  describeRecord,
  hasGivenUp,
  isInPlaceRestart,
  restartDelayMs,
  type ShutdownRecord,
  withdrawal,
} from '@drover/search-cluster';
import { notice, type Outcome, ok, problem } from '../../doctor/findings.ts';
import { isInService } from '../../doctor/group-checks.ts';
import { listed } from '../../render/short.ts';
import { duration } from '../../render/table.ts';
import type { ClusterFacts } from './facts.ts';
import { whenAllRead } from './when-read.ts';

/** An operator who drains a node by hand sees it through, or is asked. */
const freshMs = 10 * 60_000;

/** Records of nodes that stay: while there is one, Elasticsearch moves shards away or waits, and no other node may leave or restart. */
export function shutdownRecords({ records, topology, instances, now }: ClusterFacts): Outcome {
  return whenAllRead([topology, records], ([{ nodes }, found]) => {
    const stayers = instances.filter(({ lifecycleState }) => isInService({ state: lifecycleState }));
    const held = found.flatMap((record) => {
      const node = nodes.find(({ id }) => id === record.nodeId);
      return node !== undefined && stayers.some(({ privateIp }) => privateIp === node.ip) ? [{ record, node }] : [];
    });
    if (held.length === 0) return ok('no node that stays has one');
    const told = held.map(
      ({ record, node }) => `${describeRecord(record, node.name)} (${duration(now - record.startedAt)} old)`,
    );
    const stale = held.filter(({ record }) => isStale(record, now));
    if (stale.length === 0)
      return notice(listed(told), 'wait until it is done; no other node leaves or restarts meanwhile');
    const commands = stale.map(({ record }) => withdrawal(record.nodeId));
    return problem(listed(told), `if no command drives it, on any node: ${listed(commands)}`);
  });
}

const isStale = (record: ShutdownRecord, now: number) =>
  hasGivenUp(record) || now - record.startedAt >= (isInPlaceRestart(record) ? restartDelayMs : freshMs);
