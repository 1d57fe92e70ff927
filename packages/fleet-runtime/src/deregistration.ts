import type { FleetClients } from '@drover/adapters/fleet/clients';
import { groupMembers, lifecycleHooks } from '@drover/adapters/fleet/group';
import { hostReports } from '@drover/adapters/fleet/host-reports';
import { remoteCommands } from '@drover/adapters/fleet/remote-commands';
import { tokenSecrets } from '@drover/adapters/fleet/token-secrets';
import { type FleetMemory, guardTerminations, reconcile } from '@drover/runner-fleet';
import { compose, type Surroundings } from '../compose.ts';
import { failingInFull } from '../failing-in-full.ts';
import { malformedEvent, readTrigger } from '../lifecycle-event.ts';

/** Every 15th minute's pass compares all sides. */
export const passesPerSweep = 15;

export type DeregistrationClients = Pick<FleetClients, 'autoscaling' | 'secrets' | 'ssm'>;

/** `<asg>_deregistration`: a termination event or the minute's schedule starts one pass; the schedule also sweeps. */
export const deregistrationFunction = failingInFull((surroundings: Surroundings<DeregistrationClients>) => {
  const { ports: common, config, clients, signed } = compose(surroundings);
  const { groupName, instanceArnPrefix, allowedDrainTimeMs } = config;
  const ports = {
    ...common,
    members: groupMembers(clients.autoscaling, groupName),
    hooks: lifecycleHooks(clients.autoscaling, groupName),
    secrets: tokenSecrets(clients.secrets, groupName, instanceArnPrefix),
    reports: hostReports(signed),
    commands: remoteCommands(clients.ssm),
    allowedDrainTimeMs,
  };
  return async (event) => {
    const trigger = readTrigger(event, { groupName, transition: 'terminate' });
    // Another function has written since the last invocation of this environment.
    await ports.memory.read();
    await guardTerminations(ports, trigger.kind === 'lifecycle' ? trigger.instanceId : undefined);
    if (trigger.kind === 'malformed') throw malformedEvent(trigger.because);
    if (trigger.kind === 'schedule' && (await countPass(ports.memory)) % passesPerSweep === 0) await reconcile(ports);
  };
});

async function countPass(memory: FleetMemory): Promise<number> {
  let pass = 0;
  await memory.update((state) => {
    pass = state.pass + 1;
    return { ...state, pass };
  });
  return pass;
}
