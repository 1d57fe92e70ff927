import type { FleetClients } from '@drover/adapters/fleet/clients';
import { ownMetadata } from '@drover/adapters/fleet/metadata';
import { ownPlace, ownToken } from '@drover/adapters/fleet/own-instance';
import type { Clock, Logger } from '@drover/core';
import {
  abandonLaunch,
  type GiveUpDecision,
  type OwnMetadata,
  type RunnerHost,
  type WatchPorts,
  watchHost,
} from '@drover/runner-fleet';
import type { AgentConfig } from './config.ts';

/** What any command that speaks to AWS for this instance needs. */
export interface CommandSurroundings {
  readonly clock: Clock;
  readonly log: Logger;
  readonly fetch: typeof fetch;
  /** @default the link-local address */
  readonly metadataEndpoint?: string;
  /** @default the metadata service over `fetch` */
  readonly metadata?: OwnMetadata;
  clients(region: string): FleetClients;
}

/** What the agent needs of the machine that it runs on. */
export interface AgentSurroundings extends CommandSurroundings {
  readonly host: RunnerHost;
  readonly signal?: AbortSignal;
}

/** `runner-agent run`: the program that lives on every runner instance, from its registration to its end. */
export async function runAgent(config: AgentConfig, surroundings: AgentSurroundings): Promise<void> {
  await watchHost(await composeAgent(config, surroundings));
}

/** `runner-agent abandon`: a fault of this host ends its launch at once. */
export async function abandon(
  config: Pick<AgentConfig, 'groupName' | 'region'>,
  surroundings: CommandSurroundings,
  reason: string,
): Promise<GiveUpDecision> {
  const own = { instanceId: await metadataOf(surroundings).instanceId(), groupName: config.groupName };
  const place = ownPlace(surroundings.clients(config.region), own);
  return await abandonLaunch({ log: surroundings.log.with({ instance: own.instanceId }), place }, reason);
}

async function composeAgent(config: AgentConfig, surroundings: AgentSurroundings): Promise<WatchPorts> {
  const { clock, log, host, signal } = surroundings;
  const metadata = metadataOf(surroundings);
  const own = { instanceId: await metadata.instanceId(), groupName: config.groupName };
  const clients = surroundings.clients(config.region);
  return {
    clock,
    log: log.with({ instance: own.instanceId }),
    host,
    metadata,
    place: ownPlace(clients, own),
    token: ownToken(clients.secrets, own),
    ...own,
    extraLabels: config.extraLabels,
    ...(signal === undefined ? {} : { signal }),
  };
}

const metadataOf = ({ metadata, fetch, clock, metadataEndpoint }: CommandSurroundings): OwnMetadata =>
  metadata ?? ownMetadata({ fetch, clock, ...(metadataEndpoint === undefined ? {} : { endpoint: metadataEndpoint }) });
