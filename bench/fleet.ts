import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeployedFleet } from '@drover/stage/fleet';
import { synthesiseFleet } from '@drover/stage/fleet-template';
import { atMost, type Figures, informative } from './figures.ts';
import { benchOvershoot } from './fleet-overshoot.ts';

const minute = 60_000;
const pageSize = 100;

/** How much of the list differs from one minute to the next. */
type Change = 'every page' | 'a tenth of the pages';

/** Figures of a fleet whose names begin with `only`, or could: requests to GitHub, and overshoot. */
export async function benchFleet(only: string): Promise<Figures> {
  const chosen = (prefix: string) => prefix.startsWith(only) || only.startsWith(prefix);
  return {
    ...(chosen('fleet.platform_requests') ? await benchRequests() : {}),
    ...(chosen('fleet.overshoot') ? await benchOvershoot() : {}),
  };
}

/** Counted GitHub requests of a fleet in one hour, everything scheduled: with every page changing, and with 304s. */
async function benchRequests(): Promise<Figures> {
  process.env.CDK_VALIDATION = 'false';
  const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-bench-')), {
    groupName: 'runners',
    asgMinSize: 1,
    asgMaxSize: 1,
    warmPoolMaxSize: 0,
  });
  const count = (runners: number, change: Change) => countRequests(assembly, runners, change);
  return {
    'fleet.platform_requests_100': atMost(await count(100, 'every page'), 66, 'requests/h'),
    'fleet.platform_requests_100_with_304s': informative(await count(100, 'a tenth of the pages'), 'requests/h'),
    'fleet.platform_requests_10000': atMost(await count(10_000, 'every page'), 4_999, 'requests/h'),
    'fleet.platform_requests_10000_with_304s': informative(await count(10_000, 'a tenth of the pages'), 'requests/h'),
  };
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

/** What the hour was really like, from the journal. */
interface Observed {
  /** Ticks that published the metric. */
  published: number;
  /** Pages that were answered 304. */
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
    throw new Error(`${unchanged} pages were answered 304 although every page should have changed`);
  if (change !== 'every page' && unchanged === 0)
    throw new Error('no page was answered 304 although most were unchanged');
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
 * back: a page that returned to what it was two minutes ago would be answered 304 at a cadence of two minutes.
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
