import { asFetch } from '@drover/cloud-engine';
import { clients, type World } from '@drover/cloud-world';
import { type Clock, SeededRandom } from '@drover/core';
import { clusterDoctor } from '@drover/operator/cluster/doctor/doctor';
import type { Finding } from '@drover/operator/doctor/findings';
import { fleetDoctor } from '@drover/operator/fleet/doctor/doctor';
import type { DroverIo } from '@drover/operator/io';
import type { DeployedCluster } from '@drover/stage/cluster';
import type { DeployedFleet } from '@drover/stage/fleet';

/** `drover fleet doctor` over the wire, as an operator runs it. */
export const askFleetDoctor = (fleet: DeployedFleet, stack = 'runner-fleet'): Promise<readonly Finding[]> =>
  ask(fleet, (io) => fleetDoctor(io, { stack, format: 'json' }));

/** `drover cluster doctor` over the wire, as an operator runs it. */
export const askClusterDoctor = (cluster: DeployedCluster, stack: string): Promise<readonly Finding[]> =>
  ask(cluster, (io) => clusterDoctor(io, { stack, format: 'json' }));

async function ask(place: Place, doctor: (io: DroverIo) => Promise<number>): Promise<readonly Finding[]> {
  let text = '';
  await doctor(
    operatorIo(place, (more) => {
      text += more;
    }),
  );
  return (JSON.parse(text) as { findings: readonly Finding[] }).findings;
}

interface Place {
  readonly world: World;
  readonly clock: Clock;
}

/** The outside of an operator's commands, on the world's clock and network. */
export function operatorIo({ world, clock }: Place, stdout: (text: string) => void): DroverIo {
  const { secretsmanager: secrets, ...aws } = { ...clients(world) };
  return {
    stdout,
    stderr: () => {},
    env: {},
    clock,
    random: new SeededRandom('operator'),
    fetch: asFetch(world.network.from({ kind: 'operator', name: 'operator' })),
    signal: new AbortController().signal,
    aws: async () => ({ ...aws, secrets }),
  };
}
