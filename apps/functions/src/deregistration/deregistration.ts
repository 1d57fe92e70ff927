import { guardTerminations, reconcile } from '@drover/runner-fleet';
import { compose, type Surroundings } from '../compose.ts';
import { readLifecycleEvent } from '../lifecycle-event.ts';

/** Every 15th minute's pass compares all sides. */
export const passesPerSweep = 15;

/** `<asg>_deregistration`: a termination event or the minute's schedule starts one pass; the schedule also sweeps. */
export function deregistrationFunction(surroundings: Surroundings): (event: unknown) => Promise<void> {
  const ports = compose(surroundings);
  return async (event) => {
    const hint = readLifecycleEvent(event);
    // Another function has written since the last invocation of this environment.
    await ports.memory.read();
    await guardTerminations(ports, hint?.instanceId);
    if (hint !== undefined) return;
    let pass = 0;
    await ports.memory.update((memory) => {
      pass = memory.pass + 1;
      return { ...memory, pass };
    });
    if (pass % passesPerSweep === 0) await reconcile(ports);
  };
}
