import type { SdkConfig } from '@drover/adapters/fleet/sdk/config';
import { nodeFetch } from '@drover/adapters/platform/node-fetch';
import { jsonLogger, RealClock, SystemRandom } from '@drover/core';
import type { CommonClients, Surroundings } from './compose.ts';
import { environmentCredentials } from './environment-credentials.ts';

/** The surroundings of a real Lambda execution environment, with the clients that the function uses. */
export function lambdaSurroundings<Clients extends CommonClients>(
  clients: (config: SdkConfig) => Clients,
): Surroundings<Clients> {
  const clock = new RealClock();
  return {
    env: process.env,
    clock,
    random: new SystemRandom(),
    log: jsonLogger({ clock, write: (line) => console.log(line) }),
    fetch: nodeFetch,
    clients: (region) => clients({ region, credentials: environmentCredentials, ...endpoint() }),
  };
}

const endpoint = () => {
  const { AWS_ENDPOINT_URL } = process.env;
  return AWS_ENDPOINT_URL === undefined ? {} : { endpoint: AWS_ENDPOINT_URL };
};
