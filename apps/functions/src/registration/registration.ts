import { registerInstances } from '@drover/runner-fleet';
import { compose, type Surroundings } from '../compose.ts';
import { readLifecycleEvent } from '../lifecycle-event.ts';

/** `<asg>_registration`: a launch event or the minute's schedule starts one pass. */
export function registrationFunction(surroundings: Surroundings): (event: unknown) => Promise<void> {
  const ports = compose(surroundings);
  return async (event) => {
    const hint = readLifecycleEvent(event);
    await registerInstances(ports, hint ?? {});
  };
}
