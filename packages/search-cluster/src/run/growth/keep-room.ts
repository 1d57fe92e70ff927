import { dataGroupsOf } from '@drover/core/names/node-groups';
import { metrics } from '@drover/core/names/search-cluster';
import { lowWatermark } from '../../decide/drain/check-disk.ts';
import { decideRoom, type GrowingGroup, mayGrow, type RoomAct, type RoomDecision } from '../../decide/growth/room.ts';
import type { ClusterHealth } from '../../model/health.ts';
import type { NodeVerdict } from '../../model/shard.ts';
import type { NodeDisk } from '../../model/topology.ts';
import type {
  AllocationExplainer,
  ClusterMetrics,
  DiskReader,
  GroupSizes,
  GrowthNotes,
  RoomNotes,
  ShardLister,
  SpreadNotes,
} from '../../ports.ts';
import { type QuietRun, readObstacles } from '../spread/read-obstacles.ts';

export interface RoomRun extends QuietRun {
  readonly search: QuietRun['search'] & {
    readonly disks: DiskReader;
    readonly shards: ShardLister;
    readonly explainer: AllocationExplainer;
  };
  readonly sizes: GroupSizes;
  readonly room: RoomNotes;
  readonly growth: Pick<GrowthNotes, 'read'>;
  readonly spread: Pick<SpreadNotes, 'read'>;
  readonly metrics: ClusterMetrics;
  onAction(what: string): void;
}

/**
 * One pass of the elected master over the disks of groups that may grow. It may die between any two calls: the note says what was begun,
 * and sizes of groups and volumes how far it came.
 */
export async function keepRoom(run: RoomRun): Promise<Pick<RoomDecision, 'waits' | 'atMaximum'> | undefined> {
  const dataGroups = dataGroupsOf(await run.instances.groupsOf(run.resourceName));
  const frames = (await run.sizes.frames(dataGroups)).filter(mayGrow);
  if (frames.length === 0) return undefined;
  const note = await run.room.read();
  const facts = {
    note,
    groups: await withDisks(run, frames),
    leastGiB: (await run.growth.read())?.leastGiB,
    lowWatermark: lowWatermark(await run.search.disks.settings()),
  };
  const now = run.clock.now();
  // Obstacles cost many calls, and matter only for a step.
  const planned = decideRoom({ ...facts, obstacles: [] }, now);
  const decided =
    planned.act?.kind === 'count' ? decideRoom({ ...facts, obstacles: await obstaclesOf(run) }, now) : planned;
  if (JSON.stringify(decided.note) !== JSON.stringify(note ?? {})) await run.room.write(decided.note);
  await run.metrics.put(run.resourceName, { [metrics.atMaximum]: decided.atMaximum.length });
  if (decided.act !== undefined) await apply(run, decided.act);
  return decided;
}

async function apply({ sizes, onAction }: RoomRun, act: RoomAct): Promise<void> {
  if (act.kind === 'volume') return onAction(`the volumes of ${act.groupName} are to grow to ${act.volumeGiB} GiB`);
  onAction(`${act.groupName} gets a node more, ${act.desired} in all, because its disks are too full`);
  await sizes.setDesired(act.groupName, act.desired);
}

async function withDisks(run: RoomRun, frames: readonly GrowingGroup['frame'][]): Promise<readonly GrowingGroup[]> {
  const instances = await run.instances.ofGroups(frames.map(({ groupName }) => groupName));
  const { nodes } = await run.search.topology.topology();
  const disks = (await run.search.disks.disks()).filter(({ totalBytes }) => totalBytes > 0);
  const groupOf = ({ nodeId }: NodeDisk) => {
    const ip = nodes.find(({ id }) => id === nodeId)?.ip;
    return instances.find(({ privateIp }) => ip !== undefined && privateIp === ip)?.groupName;
  };
  return frames.map((frame) => ({ frame, disks: disks.filter((disk) => groupOf(disk) === frame.groupName) }));
}

async function obstaclesOf(run: RoomRun): Promise<readonly string[]> {
  const spread = await run.spread.read();
  const found = await readObstacles(run, async (health) =>
    health.status !== 'green' && (await wantsRoom(run, health)) ? { ...health, status: 'green' } : health,
  );
  return spread === undefined || spread.ended !== undefined ? found : ['the masters are being spread', ...found];
}

/** Unassigned shards whose explanation is read. */
const explained = 5;

/**
 * Above the low watermark replicas of new indices have no place, and above the high one their primaries: the cluster is yellow or red
 * until a disk has room. Some node would take such a copy, but for its disk; and no primary is missing for another reason.
 */
async function wantsRoom({ search }: RoomRun, { delayedShards, initializingShards }: ClusterHealth): Promise<boolean> {
  if (delayedShards + initializingShards > 0) return false;
  const missing = (await search.shards.shards()).filter(({ state }) => state === 'UNASSIGNED');
  const [primaries, replicas] = [missing.filter(({ primary }) => primary), missing.filter(({ primary }) => !primary)];
  if (primaries.length > explained) return false;
  let found = false;
  for (const copy of [...primaries, ...replicas].slice(0, explained)) {
    const forRoom = (await search.explainer.explain(copy)).some(lacksRoom);
    if (copy.primary && !forRoom) return false;
    found ||= forRoom;
  }
  return found;
}

const lacksRoom = ({ against }: NodeVerdict) =>
  against.length > 0 && against.every(({ decider }) => decider === 'disk_threshold');
