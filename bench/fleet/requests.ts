import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeployedFleet } from '@drover/stage/fleet';
import { type FleetProps, synthesiseFleet } from '@drover/stage/fleet-template';
import { atMost, type Figures, informative } from '../figures.ts';

const minute = 60_000;
const pageSize = 100;

/** How much of the list differs from one minute to the next. */
type Change = 'every page' | 'a tenth of the pages';

/** Counted GitHub requests of a fleet in one hour, everything scheduled: with every page changing, and with 304s. */
export async function benchRequests(): Promise<Figures> {
  const assembly = assembled({ asgMinSize: 1, asgMaxSize: 1 });
  const count = (runners: number, change: Change) => countRequests(assembly, runners, change);
  return {
    'fleet.platform_requests_100': atMost(await count(100, 'every page'), 66, 'requests/h'),
    'fleet.platform_requests_100_with_304s': informative(await count(100, 'a tenth of the pages'), 'requests/h'),
    'fleet.platform_requests_10000': atMost(await count(10_000, 'every page'), 4_999, 'requests/h'),
    'fleet.platform_requests_10000_with_304s': informative(await count(10_000, 'a tenth of the pages'), 'requests/h'),
  };
}

/** The same of a fleet in jobs mode, whose runners all take jobs: at 10,000 most runners are other fleets', as above. */
export async function benchJobsRequests(): Promise<Figures> {
  const size = 100;
  const assembly = assembled({
    scalingMode: 'jobs',
    asgMinSize: 0,
    asgMaxSize: size,
    idleRunnersTargetCount: size,
  });
  return {
    'fleet.jobs_requests_100': atMost(await countJobsRequests(assembly, size, 0), 10, 'requests/h'),
    'fleet.jobs_requests_10000': atMost(await countJobsRequests(assembly, size, 10_000 - size), 10, 'requests/h'),
  };
}

function assembled(inputs: FleetProps): string {
  process.env.CDK_VALIDATION = 'false';
  const fleet = { groupName: 'runners', warmPoolMaxSize: 0, ...inputs };
  return synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-bench-')), fleet);
}

async function countJobsRequests(assembly: string, size: number, others: number): Promise<number> {
  const fleet = new DeployedFleet({ assembly, groupName: 'runners', transport: 'direct' });
  await fleet.deploy();
  const { registry } = fleet.codeHost;
  const online = () => registry.runners.filter(({ session }) => session !== undefined).length;
  await fleet.until(`${size} runners are online`, () => online() >= size, 60 * minute);
  const crowd = joinOthers(fleet, others);
  const seen = observe(fleet);
  const before = { counted: fleet.codeHost.countedRequests, completed: registry.queue.counts.completed };
  for (let passed = 0; passed < 60; passed++) {
    registry.queue.enqueue({ durationMs: 5 * minute, runsOn: ['runners'] });
    await pass(fleet, { from: passed, to: passed + 1 }, crowd, 'every page');
  }
  const counted = fleet.codeHost.countedRequests - before.counted;
  const completed = registry.queue.counts.completed - before.completed;
  if (seen.published < leastPublished || completed < 50)
    throw new Error(`the metric was published ${seen.published} times, ${completed} jobs were completed`);
  return counted;
}

async function countRequests(assembly: string, runners: number, change: Change): Promise<number> {
  const fleet = new DeployedFleet({ assembly, groupName: 'runners', transport: 'direct' });
  await fleet.deploy();
  await fleet.until(
    'the fleet is at rest',
    () => fleet.codeHost.registry.runners.some(({ session }) => session !== undefined),
    30 * minute,
  );
  const crowd = joinOthers(fleet, runners - 1);
  const seen = observe(fleet);
  await pass(fleet, { from: 0, to: warmUpMinutes }, crowd, change);
  const before = { ...seen, counted: fleet.codeHost.countedRequests };
  await pass(fleet, { from: warmUpMinutes, to: warmUpMinutes + 60 }, crowd, change);
  const counted = fleet.codeHost.countedRequests - before.counted;
  refuseEmptyMeasure(change, {
    counted,
    published: seen.published - before.published,
    unchanged: seen.unchanged - before.unchanged,
  });
  return counted;
}

const warmUpMinutes = 5;

/** The real course of the hour, from the journal. */
interface Observed {
  /** Ticks that published the metric. */
  published: number;
  /** Pages that returned 304. */
  unchanged: number;
}

function observe(fleet: DeployedFleet): Observed {
  const seen: Observed = { published: 0, unchanged: 0 };
  fleet.world.engine.journal.subscribe(({ kind, name, detail }) => {
    if (kind !== 'request') return;
    if (name === 'PutMetricData' && detail?.error === undefined) seen.published += 1;
    if (name.endsWith('/actions/runners') && detail?.status === 304) seen.unchanged += 1;
  });
  return seen;
}

/** The metric is never slower than every second minute; a fleet that does nothing also asks for nothing. */
const leastPublished = 29;

/** A figure is worth printing only if the hour was what it claims to be. */
function refuseEmptyMeasure(change: Change, { counted, published, unchanged }: Observed & { counted: number }): void {
  if (published < leastPublished)
    throw new Error(`the metric was published ${published} times in an hour, at least ${leastPublished} are due`);
  if (counted === 0) throw new Error('no request was counted in an hour in which pages changed');
  if (change === 'every page' && unchanged > 0)
    throw new Error(`${unchanged} pages returned 304 although every page should have changed`);
  if (change !== 'every page' && unchanged === 0) throw new Error('no page returned 304 although most were unchanged');
}

interface Member {
  leave(): void;
}

/** Runners of other fleets of the organisation: listed on the same pages. */
function joinOthers(fleet: DeployedFleet, count: number): Member[] {
  const { registry } = fleet.codeHost;
  const { token } = registry.mintToken('registration', 'user ID 1');
  return Array.from({ length: count }, (_, index) => {
    const { id } = registry.register({ token, name: `other-${index}`, labels: [] });
    const connection = registry.connect(id, { deliver: () => {}, revoked: () => {} });
    return { leave: () => (typeof connection === 'object' ? connection.close() : undefined) };
  });
}

/**
 * Minutes in each of which one runner of each page that changes goes offline. Another one each minute, and none comes
 * back: a page that returned to what it was two minutes ago would return 304 at a cadence of two minutes.
 */
async function pass(
  fleet: DeployedFleet,
  { from, to }: { readonly from: number; readonly to: number },
  crowd: readonly Member[],
  change: Change,
): Promise<void> {
  for (let passed = from; passed < to; passed++) {
    for (let page = 0; page * pageSize < crowd.length; page++)
      if (change === 'every page' || (page + passed) % 10 === 0) crowd[page * pageSize + passed]?.leave();
    await fleet.drive(fleet.clock.sleep(minute), 2 * minute);
  }
}
