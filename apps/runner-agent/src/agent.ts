import { type AwsCalls, ownHooks, ownMetadata, ownPlace, ownToken } from '@drover/adapters/aws';
import type { Clock, Logger } from '@drover/core';
import { abandonLaunch, type GiveUpDecision, type OwnMetadata, type WatchPorts, watchHost } from '@drover/runner-fleet';
import type { AgentConfig } from './config.ts';
import type { Kernel } from './host/kernel.ts';
import { runnerHost } from './host/runner-host.ts';

/** The services that the agent calls. */
export type AgentAws = Pick<AwsCalls, 'autoscaling' | 's3' | 'secretsmanager'>;

/** What a command of the agent that calls AWS runs in. */
export interface CommandRuntime {
  readonly clock: Clock;
  readonly log: Logger;
  readonly fetch: typeof fetch;
  /** @default the link-local address */
  readonly metadataEndpoint?: string;
  /** @default the metadata service over `fetch` */
  readonly metadata?: OwnMetadata;
  aws(region: string): AgentAws;
}

/** What the agent runs in: the machine, too. */
export interface AgentRuntime extends CommandRuntime {
  readonly kernel: Kernel;
  readonly signal?: AbortSignal;
}

/** `runner-agent run`: the program that lives on every runner instance, from its registration to its end. */
export async function runAgent(config: AgentConfig, runtime: AgentRuntime): Promise<void> {
  await watchHost(await composeAgent(config, runtime));
}

/** `runner-agent abandon`: a fault of this host ends its launch at once. */
export async function abandon(
  config: Pick<AgentConfig, 'groupName' | 'region'>,
  runtime: CommandRuntime,
  reason: string,
): Promise<GiveUpDecision> {
  const own = { instanceId: await metadataOf(runtime).instanceId(), groupName: config.groupName };
  const place = ownHooks(runtime.aws(config.region), own);
  return await abandonLaunch({ log: runtime.log.with({ instance: own.instanceId }), place }, reason);
}

async function composeAgent(config: AgentConfig, runtime: AgentRuntime): Promise<WatchPorts> {
  const { clock, log, kernel, signal } = runtime;
  const metadata = metadataOf(runtime);
  const own = { instanceId: await metadata.instanceId(), groupName: config.groupName };
  const aws = runtime.aws(config.region);
  return {
    clock,
    log: log.with({ instance: own.instanceId }),
    host: runnerHost(kernel, config),
    metadata,
    place: ownPlace(aws, own, config.reports),
    token: ownToken(aws, own),
    ...own,
    extraLabels: config.extraLabels,
    ...(config.runnerVersion === undefined ? {} : { runnerVersion: config.runnerVersion }),
    ...(signal === undefined ? {} : { signal }),
  };
}

const metadataOf = ({ metadata, fetch, clock, metadataEndpoint }: CommandRuntime): OwnMetadata =>
  metadata ?? ownMetadata({ fetch, clock, ...(metadataEndpoint === undefined ? {} : { endpoint: metadataEndpoint }) });
