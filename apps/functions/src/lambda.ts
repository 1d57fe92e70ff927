import { sdkClients } from '@drover/adapters/fleet/clients';
import { jsonLogger, RealClock, SystemRandom } from '@drover/core';
import type { Surroundings } from './compose.ts';

/** The surroundings of a real Lambda execution environment. */
export function lambdaSurroundings(): Surroundings {
  const clock = new RealClock();
  return {
    env: process.env,
    clock,
    random: new SystemRandom(),
    log: jsonLogger({ clock, write: (line) => console.log(line) }),
    fetch: globalThis.fetch,
    clients: (region) => sdkClients({ region }),
  };
}
