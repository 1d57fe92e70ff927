import { type AwsCalls, instanceLogs, ownMetadata, ownPlace, ownToken } from '@drover/adapters/aws';
import type { Clock, Logger } from '@drover/core';
import { abandonLaunch, type GiveUpDecision, type OwnMetadata, type WatchPorts, watchHost } from '@drover/runner-fleet';
import type { AgentConfig } from './config.ts';
import type { Kernel } from './host/kernel.ts';
import { runnerHost } from './host/runner-host.ts';
import { LogShipper } from './logs/log-shipper.ts';

/** The services that the agent calls. */
export type AgentAws = Pick<AwsCalls, 'autoscaling' | 'logs' | 's3' | 'secretsmanager'>;

/** The environment of an agent's command that calls AWS. */
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

/** The environment of the agent, which includes the machine. */
export interface AgentRuntime extends CommandRuntime {
  readonly kernel: Kernel;
  readonly signal?: AbortSignal;
}

/** `runner-agent run`: the program that lives on every runner instance, from its registration to its end. */
export async function runAgent(config: AgentConfig, runtime: AgentRuntime): Promise<void> {
  const { ports, shipper } = await composeAgent(config, runtime);
  await watchHost(ports);
  await shipper?.flush(flushMs);
}

/** Most time for the last lines of an instance before its lifecycle goes on. */
const flushMs = 5_000;

/** `runner-agent abandon`: a fault of this host ends its launch at once. */
export async function abandon(
  config: Pick<AgentConfig, 'groupName' | 'ownGroup' | 'region' | 'reports'>,
  runtime: CommandRuntime,
  reason: string,
): Promise<GiveUpDecision> {
  const own = { instanceId: await metadataOf(runtime).instanceId(), groupName: config.groupName };
  const aws = runtime.aws(config.region);
  const place = ownPlace(aws, { ...own, groupName: config.ownGroup }, config.reports);
  const log = runtime.log.with({ instance: own.instanceId });
  return await abandonLaunch({ clock: runtime.clock, log, place, token: ownToken(aws, own) }, reason);
}

async function composeAgent(config: AgentConfig, runtime: AgentRuntime) {
  const { clock, kernel, signal } = runtime;
  const metadata = metadataOf(runtime);
  const own = { instanceId: await metadata.instanceId(), groupName: config.groupName };
  const aws = runtime.aws(config.region);
  const log = runtime.log.with({ instance: own.instanceId });
  const host = runnerHost(kernel, config);
  const shipper = config.logGroup === undefined ? undefined : logShipper(config.logGroup);
  const place = ownPlace(aws, { ...own, groupName: config.ownGroup }, config.reports);
  const ports: WatchPorts = {
    clock,
    log,
    host: {
      ...host,
      // Each round ships what it and the time before it have written; a timer of its own would have to wake for it.
      async waitForChange(mostMs) {
        shipper?.ship();
        await host.waitForChange(mostMs);
      },
    },
    metadata,
    place: {
      ...place,
      // The instance may be gone a moment later.
      async completeHook(hook, result) {
        await shipper?.flush(flushMs);
        return await place.completeHook(hook, result);
      },
    },
    token: ownToken(aws, own),
    ...own,
    extraLabels: config.extraLabels,
    ephemeral: config.ephemeral,
    ...(config.runnerVersion === undefined ? {} : { runnerVersion: config.runnerVersion }),
    ...(signal === undefined ? {} : { signal }),
  };
  return { ports, shipper };

  function logShipper(group: string): LogShipper {
    const place = { ...own, metricNamespace: config.metricNamespace };
    const { workers } = host;
    return new LogShipper({ clock, log, kernel, place, workers, ...instanceLogs(aws, group, own.instanceId) });
  }
}

const metadataOf = ({ metadata, fetch, clock, metadataEndpoint }: CommandRuntime): OwnMetadata =>
  metadata ?? ownMetadata({ fetch, clock, ...(metadataEndpoint === undefined ? {} : { endpoint: metadataEndpoint }) });
