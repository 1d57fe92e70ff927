import type { World } from '@drover/cloud-world';
import type { InstanceState } from '@drover/observation/api';
import { leastFreeBytes } from '@drover/runner-fleet';

/** Auto Scaling ends the instance itself; before that, hooks wait for a living machine. */
const endsByGroup = /(Terminating:Proceed|Terminating|Terminated)$/;

/** The fault of a machine, read from the machine itself. One that ends as its group wants has none. */
export function machineFault(world: World, instanceId: string, lifecycleState: string): InstanceState['machine'] {
  const machine = world.machines.get(instanceId);
  if (machine === undefined) return undefined;
  if (machine.state === 'crashed') return world.observe.instance(instanceId)?.state === 'running' ? 'hung' : 'gone';
  if (machine.state === 'gone' && !endsByGroup.test(lifecycleState)) return 'gone';
  return machine.disk.freeBytes < leastFreeBytes ? 'full' : undefined;
}
