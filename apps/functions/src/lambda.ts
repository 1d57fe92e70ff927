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
    clients: (region) => clients({ region, credentials: environmentCredentials, ...settled, ...endpoint() }),
  };
}

/** Lambda has no configuration files: whatever a client would look for there is settled here, which saves its first call time. */
const settled = {
  defaultsMode: 'standard',
  retryMode: 'standard',
  maxAttempts: 3,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  disableRequestCompression: true,
  requestMinCompressionSizeBytes: 10_240,
  userAgentAppId: 'drover',
  authSchemePreference: [] as string[],
  sigv4aSigningRegionSet: [] as string[],
} as const;

const endpoint = () => {
  const { AWS_ENDPOINT_URL } = process.env;
  return AWS_ENDPOINT_URL === undefined ? {} : { endpoint: AWS_ENDPOINT_URL };
};
