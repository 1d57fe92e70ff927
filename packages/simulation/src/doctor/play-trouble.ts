import { askClusterDoctor, askFleetDoctor } from '@drover/local/truth/real-doctor';
import { ClusterStage, FleetStage } from '@drover/stage/testing';
import type { ClusterTrouble } from './cluster-trouble.ts';
import { clusterTroubles, sharedCluster } from './cluster-troubles.ts';
import { type FleetTrouble, fleetTroubles } from './fleet-troubles.ts';
import { alarmsOf, playTrouble, type TroubleResult } from './trouble.ts';

export { clusterTroubles, fleetTroubles };

const minute = 60_000;
const stackOfCluster = 'search-cluster';

export async function playFleetTrouble(trouble: FleetTrouble): Promise<TroubleResult> {
  const stage = await FleetStage.open(trouble.inputs ?? {}, trouble.options);
  const { fleet } = stage;
  const { journal, faults } = fleet.world.engine;
  return await playTrouble(trouble, {
    stage,
    doctor: () => fleet.drive(askFleetDoctor(fleet), 30 * minute),
    alarms: alarmsOf(journal, (alarm) => alarm.replace(/-runners.*$/, '')),
    healOutside: () => faults.clear(),
    pass: (minutes) => stage.pass(minutes),
  });
}

/** A cluster with a document; an hour after it has formed every check can be made. */
export async function openCluster(minutes = 65, inputs = sharedCluster): Promise<ClusterStage> {
  const stage = await ClusterStage.open(inputs);
  await stage.deployed.search('PUT', '/docs', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
  await stage.deployed.search('PUT', '/docs/_doc/1?refresh=true', { kept: true });
  await stage.pass(minutes);
  return stage;
}

export async function playClusterTrouble(trouble: ClusterTrouble, on?: ClusterStage): Promise<TroubleResult> {
  const stage = on ?? (await openCluster(65, trouble.inputs));
  const { journal, faults } = stage.world.engine;
  return await playTrouble(trouble, {
    stage,
    doctor: () => stage.drive(askClusterDoctor(stage.deployed, stackOfCluster)),
    alarms: alarmsOf(journal, (alarm) => alarm.replace(/-logs.*$/, '')),
    healOutside: () => faults.clear(),
    pass: (minutes) => stage.pass(minutes),
  });
}
