import type { FleetClients } from '@drover/adapters/fleet/clients';
import { s3FleetMemory } from '@drover/adapters/fleet/fleet-memory';
import { groupMembers, groupReader, lifecycleHooks, transitionTimes } from '@drover/adapters/fleet/group';
import { hostReports } from '@drover/adapters/fleet/host-reports';
import { fleetMetrics } from '@drover/adapters/fleet/metrics';
import { remoteCommands } from '@drover/adapters/fleet/remote-commands';
import { readSecret, tokenSecrets } from '@drover/adapters/fleet/token-secrets';
import { appCredentials } from '@drover/adapters/platform/app-credentials';
import { PlatformClient } from '@drover/adapters/platform/client';
import { type PlatformCredentials, tokenCredentials } from '@drover/adapters/platform/credentials';
import { platformRunners } from '@drover/adapters/platform/runners';
import type { Clock, Logger, Random } from '@drover/core';
import { emptyMemory } from '@drover/runner-fleet';
import { type FunctionConfig, readConfig } from './config.ts';

/** What a function needs of the world around it: Lambda's own in production, a simulated one elsewhere. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly fetch: typeof fetch;
  clients(region: string): FleetClients;
}

/** Every port of the fleet's use cases, on the real adapters. */
export function compose(surroundings: Surroundings) {
  const { clock, log } = surroundings;
  const config = readConfig(surroundings.env);
  const clients = surroundings.clients(config.region);
  const { groupName } = config;
  const neighbour = clients.autoscaling;
  const endpoint = surroundings.env.AWS_ENDPOINT_URL;
  const memory = s3FleetMemory({ ...config.memory, neighbour, endpoint }, emptyMemory);
  const credentials = platformCredentials(surroundings, config, clients, memory);
  const platform = platformClient(surroundings, config, credentials);
  const runners = platformRunners({ client: platform, clock, memory, runnerGroup: config.runnerGroup });
  return {
    clock,
    log: log.with({ group: groupName }),
    group: groupReader(clients.autoscaling, groupName),
    members: groupMembers(clients.autoscaling, groupName),
    hooks: lifecycleHooks(clients.autoscaling, groupName),
    times: transitionTimes(clients.autoscaling, groupName),
    secrets: tokenSecrets(clients.secrets, groupName, config.instanceArnPrefix),
    tokens: runners,
    runners: Object.assign(runners, { last: () => platform.last() }),
    reports: hostReports({ neighbour, endpoint }),
    commands: remoteCommands(clients.ssm),
    memory,
    metrics: fleetMetrics(clients.cloudwatch, { vendor: config.vendor, groupName }),
    allowedDrainTimeMs: config.allowedDrainTimeMs,
    runnerReleasedAt: config.runnerReleasedAt,
  };
}

function platformClient(
  surroundings: Surroundings,
  config: FunctionConfig,
  credentials: PlatformCredentials,
): PlatformClient {
  const { clock, fetch } = surroundings;
  return new PlatformClient({ apiUrl: config.platformApi, org: config.platformOrg, credentials, clock, fetch });
}

function platformCredentials(
  surroundings: Surroundings,
  config: FunctionConfig,
  clients: FleetClients,
  memory: ReturnType<typeof s3FleetMemory>,
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
