import {
  type AwsCalls,
  type FleetAws,
  groupWithFallback,
  NoSuchGroup,
  oneGroup,
  readSecret,
  runnerTypes,
  s3FleetMemory,
  transitionTimes,
} from '@drover/adapters/aws';
import {
  type ActionsConnection,
  ActionsService,
  actionsConnection,
  appCredentials,
  PlatformClient,
  type PlatformCredentials,
  type SealingCredentials,
  tokenCredentials,
} from '@drover/adapters/github';
import type { Clock, Logger, Random } from '@drover/core';
import { typeMemoryKey } from '@drover/core/names/runner-fleet';
import { emptyMemory, type FleetMemory, type RunnerType, restingMemory, sharedMemory } from '@drover/runner-fleet';
import { type FunctionConfig, readConfig } from './function-config.ts';

/** The environment of a function: Lambda's execution environment in production, a simulated one elsewhere. */
export interface FunctionRuntime<Aws extends CommonAws = FleetAws> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly fetch: typeof fetch;
  aws(region: string): Aws;
}

/** The services that every function calls: its group, its memory, and the secret of its credentials. */
export type CommonAws = Pick<AwsCalls, 'autoscaling' | 's3' | 'secretsmanager'>;

/** A fleet with the ports that every function uses; each function adds its own, and no service that it never calls. */
export function composeFleet<Aws extends CommonAws>(runtime: FunctionRuntime<Aws>) {
  const { clock, log } = runtime;
  const config = readConfig(runtime.env);
  const aws = runtime.aws(config.region);
  const stored = s3FleetMemory(aws, config.memory, emptyMemory);
  const credentials = platformCredentials(runtime, config, aws, stored);
  const platform = platformClient(runtime, config, {
    credentials,
    onPause: (until) => rememberPause(stored, log, until),
  });
  const memory = sharedMemory(withPauses(stored, platform));
  const anonymous = () => platformClient(runtime, config, { credentials: unauthenticated });
  const connections = new Map<boolean, ActionsConnection>();
  /** All types have the same connection. */
  const connectionThat = (renews: boolean): ActionsConnection => {
    const { platformApi: apiUrl } = config;
    const options = { client: platform, credentials, apiUrl, clock, random: runtime.random, memory, renews };
    const connection = connections.get(renews) ?? actionsConnection(options);
    connections.set(renews, connection);
    return connection;
  };
  /** The Actions service, in jobs mode; only the function that watches the demand renews the connection. */
  const actions = (subsystem: string, renews = false) =>
    new ActionsService({ connection: connectionThat(renews), clock, fetch: runtime.fetch, subsystem });
  const portsOf = (groupName: string, memory: FleetMemory) => {
    const { group, groups } = config.hasFallback ? groupWithFallback(aws, groupName) : oneGroup(aws, groupName);
    return { clock, log: log.with({ group: groupName }), group, groups, times: transitionTimes(aws, groups), memory };
  };
  const shared = { aws, platform, anonymous, actions };
  return {
    ...shared,
    config,
    ports: portsOf(config.groupName, memory),
    /** The types whose groups exist. */
    types: () => runnerTypes(aws, config.groupName),
    /** A type as a fleet of its own, with what all types share. */
    ofType(type: RunnerType) {
      const own = s3FleetMemory(aws, { bucket: config.memory.bucket, key: typeMemoryKey(type.name) }, emptyMemory);
      return {
        ...shared,
        type,
        /** Its memory as it is stored, also while it rests. */
        own,
        config: { ...config, groupName: type.groupName, runnerGroup: type.runnerGroup },
        ports: portsOf(type.groupName, restingMemory(type.name, own, memory)),
      };
    },
  };
}

/** A fleet, or one of its types, as every function uses it. */
export type ComposedGroup<Aws extends CommonAws> = Pick<
  ReturnType<typeof composeFleet<Aws>>,
  'aws' | 'platform' | 'anonymous' | 'actions' | 'config' | 'ports'
> & { readonly type?: RunnerType };

/**
 * The functions exist before the group in a first deployment, and after it when the stack is deleted: then there is
 * nothing to do. If the group is missing at any other time, the alarm `metric_silent` fires, in jobs mode `demand_signal_old`.
 */
export const quietWithoutGroup =
  (log: Logger, handle: (event: unknown) => Promise<void>) =>
  async (event: unknown): Promise<void> => {
    try {
      await handle(event);
    } catch (error) {
      if (!(error instanceof NoSuchGroup)) throw error;
      log.info('nothing to do', { because: error.message });
    }
  };

const unauthenticated: PlatformCredentials = { authorization: async () => '' };

interface Identity {
  readonly credentials: PlatformCredentials;
  readonly onPause?: (until: number) => Promise<void>;
}

function platformClient(
  { clock, fetch }: Pick<FunctionRuntime, 'clock' | 'fetch'>,
  { platformApi: apiUrl, level }: FunctionConfig,
  identity: Identity,
): PlatformClient {
  return new PlatformClient({ apiUrl, level, clock, fetch, ...identity });
}

/** The platform asks one function for a pause and means all of them. A pause that cannot be stored costs one request. */
async function rememberPause(memory: FleetMemory, log: Logger, until: number): Promise<void> {
  await memory
    .update((state) => ({ ...state, platformPauseUntil: Math.max(until, state.platformPauseUntil ?? 0) }))
    .catch((error: unknown) => log.warn('the pause that the platform asked for could not be remembered', { error }));
}

/** Every pass reads the memory before it calls the platform: no call is made for the pause alone. */
function withPauses(memory: FleetMemory, platform: PlatformClient): FleetMemory {
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
  runtime: Pick<FunctionRuntime, 'clock' | 'random' | 'fetch'>,
  config: FunctionConfig,
  aws: CommonAws,
  memory: FleetMemory,
): SealingCredentials {
  const { authentication } = config;
  if (authentication.kind === 'token') return tokenCredentials(() => readSecret(aws, authentication.secretArn));
  return appCredentials({
    appId: authentication.appId,
    clock: runtime.clock,
    random: runtime.random,
    memory,
    readPrivateKey: () => readSecret(aws, authentication.pemSecretArn),
    client: () => platformClient(runtime, config, { credentials: unauthenticated }),
  });
}
