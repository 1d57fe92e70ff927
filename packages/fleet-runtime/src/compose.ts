import type { FleetClients } from '@drover/adapters/fleet/clients';
import { s3FleetMemory } from '@drover/adapters/fleet/fleet-memory';
import { groupReader, transitionTimes } from '@drover/adapters/fleet/group';
import { readSecret } from '@drover/adapters/fleet/token-secrets';
import { appCredentials } from '@drover/adapters/platform/app-credentials';
import { PlatformClient } from '@drover/adapters/platform/client';
import { type PlatformCredentials, tokenCredentials } from '@drover/adapters/platform/credentials';
import { platformRunners } from '@drover/adapters/platform/runners';
import type { Clock, Logger, Random } from '@drover/core';
import { emptyMemory, type FleetMemory } from '@drover/runner-fleet';
import { type FunctionConfig, readConfig } from './config.ts';

/** What a function needs of the world around it: Lambda's own in production, a simulated one elsewhere. */
export interface Surroundings<Clients extends CommonClients = FleetClients> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly fetch: typeof fetch;
  clients(region: string): Clients;
}

/** What every function asks AWS: its group, and the secret of its credentials. */
export type CommonClients = Pick<FleetClients, 'autoscaling' | 'secrets'>;

/** The ports that every function uses, on the real adapters; each function adds its own, and no client that it never calls. */
export function compose<Clients extends CommonClients>(surroundings: Surroundings<Clients>) {
  const { clock, log } = surroundings;
  const config = readConfig(surroundings.env);
  const clients = surroundings.clients(config.region);
  const { groupName } = config;
  /** Where the calls go that are signed by hand. */
  const signed = { neighbour: clients.autoscaling, endpoint: surroundings.env.AWS_ENDPOINT_URL };
  const stored = s3FleetMemory({ ...config.memory, ...signed }, emptyMemory);
  const credentials = platformCredentials(surroundings, config, clients, stored);
  const platform = platformClient(surroundings, config, credentials, (until) => rememberPause(stored, log, until));
  const memory = tellingOfPauses(stored, platform);
  const directory = platformRunners({ client: platform, clock, memory, runnerGroup: config.runnerGroup });
  const ports = {
    clock,
    log: log.with({ group: groupName }),
    group: groupReader(clients.autoscaling, groupName),
    times: transitionTimes(clients.autoscaling, groupName),
    runners: Object.assign(directory, { last: () => platform.last() }),
    memory,
  };
  return { ports, config, clients, signed, platform };
}

function platformClient(
  { clock, fetch }: Pick<Surroundings, 'clock' | 'fetch'>,
  config: FunctionConfig,
  credentials: PlatformCredentials,
  onPause?: (until: number) => Promise<void>,
): PlatformClient {
  const { platformApi: apiUrl, platformOrg: org } = config;
  const told = onPause === undefined ? {} : { onPause };
  return new PlatformClient({ apiUrl, org, credentials, clock, fetch, ...told });
}

/** The platform tells one function to stay away and means all of them. What cannot be remembered costs a request. */
async function rememberPause(memory: FleetMemory, log: Logger, until: number): Promise<void> {
  await memory
    .update((state) => ({ ...state, platformPauseUntil: Math.max(until, state.platformPauseUntil ?? 0) }))
    .catch((error: unknown) => log.warn('the pause that the platform asked for could not be remembered', { error }));
}

/** Every pass reads the memory before it asks the platform: no call is made for the pause alone. */
function tellingOfPauses(memory: FleetMemory, platform: PlatformClient): FleetMemory {
  return {
    async read() {
      const state = await memory.read();
      platform.keepAwayUntil(state.platformPauseUntil ?? 0);
      return state;
    },
    update: (change) => memory.update(change),
  };
}

function platformCredentials(
  surroundings: Pick<Surroundings, 'clock' | 'random' | 'fetch'>,
  config: FunctionConfig,
  clients: CommonClients,
  memory: FleetMemory,
): PlatformCredentials {
  const { authentication } = config;
  if (authentication.kind === 'token')
    return tokenCredentials(() => readSecret(clients.secrets, authentication.secretArn));
  const unauthenticated: PlatformCredentials = { authorization: async () => '' };
  return appCredentials({
    appId: authentication.appId,
    org: config.platformOrg,
    clock: surroundings.clock,
    random: surroundings.random,
    memory,
    readPrivateKey: () => readSecret(clients.secrets, authentication.pemSecretArn),
    client: () => platformClient(surroundings, config, unauthenticated),
  });
}
