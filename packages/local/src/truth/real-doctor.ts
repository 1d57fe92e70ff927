import { asFetch } from '@drover/cloud-engine';
import { clients } from '@drover/cloud-world';
import { SeededRandom } from '@drover/core';
import type { Finding } from '@drover/operator/doctor/findings';
import { fleetDoctor } from '@drover/operator/fleet/doctor/doctor';
import type { DeployedFleet } from '@drover/stage/fleet';

/** `drover fleet doctor` over the wire, as an operator runs it. */
export async function askFleetDoctor(fleet: DeployedFleet, stack = 'runner-fleet'): Promise<readonly Finding[]> {
  let text = '';
  const { secretsmanager: secrets, ...aws } = { ...clients(fleet.world) };
  await fleetDoctor(
    {
      stdout: (more) => {
        text += more;
      },
      stderr: () => {},
      env: {},
      clock: fleet.clock,
      random: new SeededRandom('operator'),
      fetch: asFetch(fleet.world.network.from({ kind: 'operator', name: 'operator' })),
      signal: new AbortController().signal,
      aws: async () => ({ ...aws, secrets }),
    },
    { stack, format: 'json' },
  );
  return (JSON.parse(text) as { findings: readonly Finding[] }).findings;
}
