import { certificateFiles } from '@drover/core/names/search-cluster';
import { certificatesIn } from '@drover/search-cluster';
import { ClusterStage } from '@drover/stage/testing';
import { UpgradeDriver } from '../upgrade-driver.ts';

const hour = 3_600_000;
const day = 24 * hour;
const step = 4;
/** With this many seeds drivers die before and after each of their calls. */
export const authoritySeeds = 2 * step;

export interface AuthorityRun {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly checks: number;
  readonly faults: number;
  /** The calls at which drivers died. */
  readonly deaths: readonly string[];
}

/**
 * The authority of the nodes' certificates is replaced once while drivers die at their calls, each followed by the next. No node leaves
 * the cluster or restarts, and in the end all trust the new one alone.
 */
export async function simulateAuthority({ seed }: { readonly seed: number }): Promise<AuthorityRun> {
  const stage = await ClusterStage.open({ masterCount: 1, dataCount: 2 }, seed);
  const { deployed } = stage;
  await deployed.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await stage.pass(5);
  // A younger one would be confirmed, and not replaced.
  stage.clock.skip(2 * day);
  const violations: string[] = [];
  const deaths: string[] = [];
  const starts = () => [...deployed.nodes.values()].map(({ startedAtMs }) => startedAtMs).join();
  const trusted = () => [
    ...new Set(deployed.inService().map((id) => stage.world.machines.get(id)!.files.get(certificateFiles.authority)!)),
  ];
  const [started, [before]] = [starts(), trusted()];
  const at = (seed - 1) % authoritySeeds;
  for (let call = at % step, turn = 0; ; call += step, turn++) {
    const phase = (turn % 2 === 0) === at < step ? 'before' : 'after';
    const driver = new UpgradeDriver(deployed, { call, phase });
    const end = await stage.drive(driver.rotate(), 12 * hour);
    if (deployed.colour() !== 'green')
      violations.push(`the cluster is ${deployed.colour()} after ${driver.calls.at(-1)}`);
    if (end.kind !== 'died') {
      if (end.kind !== 'rotated') violations.push(`the last run: ${JSON.stringify(end)}`);
      break;
    }
    deaths.push(driver.calls.at(-1)!);
  }
  const after = trusted();
  if (after.length !== 1 || certificatesIn(after[0]!).length !== 1 || after[0] === before)
    violations.push(`${after.length} different lists of authorities, the first of ${certificatesIn(after[0]!).length}`);
  if (starts() !== started) violations.push('a node has restarted');
  return { seed, violations, deaths, checks: deaths.length + 2, faults: deaths.length };
}
