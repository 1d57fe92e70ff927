import { nodeUpgrades, type OperatorSsm } from '@drover/adapters/aws';
import type { SearchNode } from '@drover/cloud-elasticsearch';
import type { Machine } from '@drover/cloud-machines';
import { groupNames, searchNodeFacts } from '@drover/core/names/search-cluster';
import { createGroups, DeployedCluster, installedVersion } from '@drover/stage/cluster';
import { directCalls } from '@drover/stage/fleet';

const minute = 60_000;
const [from, to] = ['8.18.8', '8.19.21'] as const;

/** A moment of the script that upgrades one node. */
interface Step {
  readonly name: string;
  /** Whether the script is there. */
  reached(node: SearchNode, machine: Machine): boolean;
}

const isTold = ({ files }: Machine) => files.get(searchNodeFacts.file)?.includes(to) === true;

/** One for each act of the script: the stop, the version that is passed, the package, the start. */
const steps: readonly Step[] = [
  { name: 'stopped', reached: ({ running }) => !running },
  { name: 'told', reached: ({ running }, machine) => !running && isTold(machine) },
  { name: 'installed', reached: ({ version }, machine) => version === from && installedVersion(machine) === to },
  { name: 'started', reached: ({ version, running }) => running && version === to },
];

/** The fate of the node whose machine was reset at a step. */
export interface BrokenUpgrade {
  readonly step: string;
  /** The running and the installed version: more than an hour later, and after one more reset. */
  readonly later: string;
  readonly restarted: string;
}

/**
 * Machines lose their power for a moment while the script upgrades their nodes, each at another step of it, and no driver goes on. Returns what runs
 * and what is installed there.
 */
export async function breakNodeUpgrades(seed = 11): Promise<readonly BrokenUpgrade[]> {
  await DeployedCluster.preload();
  const cluster = new DeployedCluster({ seed, node: { bootMs: 20_000, securityStartMs: 5_000 } });
  await createGroups(cluster, { masters: 3, data: steps.length, version: from });
  const { ssm } = directCalls(cluster.world, () => cluster.root);
  const hosts = cluster.inService(groupNames.data(cluster.clusterName));
  const found: BrokenUpgrade[] = [];
  for (const [at, step] of steps.entries()) {
    const host = hosts[at]!;
    const [node, machine] = [cluster.nodeOf(host), cluster.world.machines.get(host)!];
    const state = () => `runs ${node.running ? node.version : 'nothing'}, files of ${installedVersion(machine)}`;
    await cluster.until(nodeUpgrades(ssm as OperatorSsm).send(host, to, false));
    if (!(await cluster.clock.runUntil(() => step.reached(node, machine), 10 * minute)))
      throw new Error(`the upgrade of ${node.name} never was ${step.name}: ${cluster.report()}`);
    cluster.world.machines.reset(host);
    // The record of an unfinished restart counts for an hour.
    await cluster.clock.advance(80 * minute);
    const later = state();
    cluster.world.machines.reset(host);
    await cluster.clock.advance(5 * minute);
    found.push({ step: step.name, later, restarted: state() });
  }
  return found;
}
