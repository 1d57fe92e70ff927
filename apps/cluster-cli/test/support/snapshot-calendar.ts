import { MemoryStore } from '@drover/cloud-elasticsearch';
import { World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import { drillObject } from '@drover/core/names/search-cluster';
import { hour, SearchWorld } from './search-world.ts';

const day = 24 * hour;

interface Snapshot {
  readonly state: string;
  readonly start_time_in_millis: number;
  readonly metadata: { readonly policy: string };
}

/** The table of the specification: when each policy runs, how long and how many of its snapshots are kept. */
const table = [
  { policy: 'hourly-snapshots', keptMs: 48 * hour, most: 48, runs: () => true },
  { policy: 'daily-snapshots', keptMs: 14 * day, most: 14, runs: (at: Date) => at.getUTCHours() === 1 },
  {
    policy: 'weekly-snapshots',
    keptMs: 60 * day,
    most: 8,
    runs: (at: Date) => at.getUTCDay() === 1 && at.getUTCHours() === 1,
  },
  {
    policy: 'monthly-snapshots',
    keptMs: 365 * day,
    most: 12,
    runs: (at: Date) => at.getUTCDate() === 1 && at.getUTCHours() === 1,
  },
];

/** The hours in which a policy must have run and whose snapshot must still be there, newest first. */
function dueHours({ keptMs, most, runs }: (typeof table)[number], since: number, now: number): number[] {
  const hours: number[] = [];
  // The hour that has just ended is the newest that counts: a snapshot may take that long.
  const newest = Math.floor(now / hour) * hour - hour;
  for (let at = newest; at >= since && now - at < keptMs - hour && hours.length < most; at -= hour)
    if (runs(new Date(at))) hours.push(at);
  return hours;
}

export interface SnapshotCalendar {
  readonly startsAtMs: number;
  readonly days: number;
  /** Leaves the policy of every hour out, which takes most of the snapshots. @default true */
  readonly hourly?: boolean;
}

/**
 * Lets a cluster with the policies live for `days` and looks at the end of each: which snapshots are missing, too many
 * or failed.
 */
export async function playSnapshotCalendar({
  startsAtMs,
  days,
  hourly = true,
}: SnapshotCalendar): Promise<readonly string[]> {
  const store = new MemoryStore();
  const own = new World({ clock: new VirtualClock(startsAtMs), seed: 1 });
  const world = await SearchWorld.start({
    world: own,
    masters: 1,
    data: 2,
    cron: false,
    cluster: { openStore: () => store },
  });
  const [host] = world.inService('search-data') as [string];
  await world.search('PUT', '/logs', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
  await world.search('PUT', '/logs/_doc/1?refresh=true', { index: 'logs' });
  const { exitCode, stderr } = await world.run(host, 'cluster-cli snapshots policy');
  if (exitCode !== 0) return [`cluster-cli snapshots policy ended with ${exitCode}: ${stderr}`];
  if (!hourly) await world.search('DELETE', '/_slm/policy/hourly-snapshots');
  const rows = table.filter(({ policy }) => hourly || policy !== 'hourly-snapshots');
  const installedAt = Math.ceil(world.clock.now() / hour) * hour;
  const faults: string[] = [];

  for (let passed = 0; passed < days; passed++) {
    await world.clock.advance(day);
    // The elected master's schedule, as often as a drill can be due; it must not be in the way of any snapshot.
    if (passed % 7 === 0) await world.run(world.electedMaster(), 'cluster-cli --quiet cluster reap');
    const now = world.clock.now();
    const { snapshots } = await world.search<{ snapshots: Snapshot[] }>('GET', '/_snapshot/backups/_all');
    for (const row of rows) {
      const own = snapshots.filter(({ metadata }) => metadata.policy === row.policy);
      const startedIn = new Set(own.map(({ start_time_in_millis: at }) => Math.floor(at / hour) * hour));
      const missing = dueHours(row, installedAt, now).filter((at) => !startedIn.has(at));
      // Retention runs hourly: one more than the table may wait for it.
      if (missing.length > 0 || own.length > row.most + 1)
        faults.push(
          `${new Date(now).toISOString()} ${row.policy}: ${own.length}, missing ${missing.map((at) => new Date(at).toISOString()).join(' ')}`,
        );
      faults.push(...own.filter(({ state }) => state !== 'SUCCESS').map(({ state }) => `${row.policy} ${state}`));
    }
  }
  const note = (await world.aws('s3', 'GetObject', { Bucket: 'search-state', Key: drillObject })) as {
    Body: Uint8Array;
  };
  const state = JSON.parse(Buffer.from(note.Body).toString()) as { readonly runs: number; readonly failure?: string };
  if (state.runs < Math.floor(days / 7) - 1 || state.failure !== undefined)
    faults.push(`${state.runs} restore drills in ${days} days: ${state.failure ?? 'too few'}`);
  return faults;
}
