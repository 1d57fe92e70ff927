import type { FleetClients } from '@drover/adapters/fleet/clients';
import { lifecycleHooks } from '@drover/adapters/fleet/group';
import { fleetMetrics } from '@drover/adapters/fleet/metrics';
import { tokenSecrets } from '@drover/adapters/fleet/token-secrets';
import { registerInstances } from '@drover/runner-fleet';
import { compose, type Surroundings } from '../compose.ts';
import { failingInFull } from '../failing-in-full.ts';
import { malformedEvent, readTrigger } from '../lifecycle-event.ts';

export type RegistrationClients = Pick<FleetClients, 'autoscaling' | 'secrets' | 'cloudwatch'>;

/** `<asg>_registration`: a launch event or the minute's schedule starts one pass. */
export const registrationFunction = failingInFull((surroundings: Surroundings<RegistrationClients>) => {
  const { ports: common, config, clients } = compose(surroundings);
  const { groupName, vendor, instanceArnPrefix } = config;
  const ports = {
    ...common,
    tokens: common.runners,
    hooks: lifecycleHooks(clients.autoscaling, groupName),
    secrets: tokenSecrets(clients.secrets, groupName, instanceArnPrefix),
    metrics: fleetMetrics(clients.cloudwatch, { vendor, groupName }),
  };
  return async (event) => {
    const trigger = readTrigger(event, { groupName, transition: 'launch' });
    await registerInstances(ports, trigger.kind === 'lifecycle' ? trigger : {});
    if (trigger.kind === 'malformed') throw malformedEvent(trigger.because);
  };
});
