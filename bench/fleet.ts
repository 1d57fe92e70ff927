import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesiseFleet } from '../packages/simulation/src/fleet/fleet-app.ts';
import { FleetSimulation } from '../packages/simulation/src/fleet/fleet-simulation.ts';
import { atMost, type Figures, informative } from './figures.ts';

const minute = 60_000;
const pageSize = 100;

/** Counted platform requests of a fleet in one hour, everything scheduled: with every page changing, and with none. */
export async function benchFleet(): Promise<Figures> {
  process.env.CDK_VALIDATION = 'false';
  const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-bench-')), {
    groupName: 'runners',
    asgMinSize: 1,
    asgMaxSize: 1,
    warmPoolMaxSize: 0,
  });
  return {
    'fleet.platform_requests_100': atMost(await countRequests(assembly, 100, true), 66, 'requests/h'),
    'fleet.platform_requests_100_unchanged': informative(await countRequests(assembly, 100, false), 'requests/h'),
    'fleet.platform_requests_10000': atMost(await countRequests(assembly, 10_000, true), 4_999, 'requests/h'),
    'fleet.platform_requests_10000_unchanged': informative(await countRequests(assembly, 10_000, false), 'requests/h'),
  };
}

async function countRequests(assembly: string, runners: number, changing: boolean): Promise<number> {
  const fleet = new FleetSimulation({ assembly, groupName: 'runners', transport: 'direct' });
  await fleet.deploy();
  await fleet.until(
    'the fleet is at rest',
    () => fleet.codeHost.registry.runners.some(({ session }) => session !== undefined),
    30 * minute,
  );
  const crowd = joinOthers(fleet, runners - 1);
  await pass(fleet, 5, changing ? crowd : []);
  const before = fleet.codeHost.countedRequests;
  await pass(fleet, 60, changing ? crowd : []);
  return fleet.codeHost.countedRequests - before;
}

interface Member {
  toggle(): void;
}

/** Runners of other fleets of the organisation: listed on the same pages. */
function joinOthers(fleet: FleetSimulation, count: number): Member[] {
  const { registry } = fleet.codeHost;
  const { token } = registry.mintToken('registration', 'user ID 1');
  return Array.from({ length: count }, (_, index) => {
    const { id } = registry.register({ token, name: `other-${index}`, labels: [] });
    const connect = () => registry.connect(id, { deliver: () => {}, revoked: () => {} });
    let connection = connect();
    return {
      toggle: () => {
        if (typeof connection === 'object') {
          connection.close();
          connection = 'unreachable';
        } else connection = connect();
      },
    };
  });
}

/** Minutes in which one runner of each page changes, so that no page is answered 304. */
async function pass(fleet: FleetSimulation, minutes: number, crowd: readonly Member[]): Promise<void> {
  for (let passed = 0; passed < minutes; passed++) {
    for (let index = 0; index < crowd.length; index += pageSize / 2) crowd[index]!.toggle();
    await fleet.drive(fleet.clock.sleep(minute), 2 * minute);
  }
}
