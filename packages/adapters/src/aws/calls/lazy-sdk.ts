import { loadOnce } from '@drover/core/load-once';
import type { ClusterAws, OperationsOf, ServiceCalls } from './calls.ts';
import {
  callsThrough,
  type SdkClient,
  type SdkClientConfig,
  type SdkConfig,
  type SdkService,
  signingAs,
} from './sdk-calls.ts';

/** The SDK's packages, each loaded when it is first used: loading one takes longer than most commands. */
const autoScalingSdk = loadOnce(() => import('./sdk/auto-scaling.ts'));
const cloudWatchSdk = loadOnce(() => import('./sdk/cloudwatch.ts'));
const ec2Sdk = loadOnce(() => import('./sdk/ec2.ts'));
const secretsManagerSdk = loadOnce(() => import('./sdk/secrets-manager.ts'));
/** Not a part of the SDK, but it loads TLS. */
const signedClient = loadOnce(() => import('../../aws-signed.ts'));

/** Loads what is otherwise loaded on demand. A simulation does this first: loading takes real time, in which virtual time would run away. */
export async function preloadSdk(): Promise<void> {
  await Promise.all([autoScalingSdk(), cloudWatchSdk(), ec2Sdk(), secretsManagerSdk(), signedClient()]);
}

/** How the AWS of a search node's command is reached. */
export interface ClusterAwsConfig {
  /** Read only when a client is made. */
  region(): Promise<string | undefined>;
  /** Anything else that the SDK's clients take: credentials, endpoint, requestHandler. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Address of S3. @default the region's own */
  readonly objectsEndpoint?: string | undefined;
}

/** The SDK, with S3 signed by the small client: the SDK's S3 package is not worth two operations. */
export function lazySdkAws(options: ClusterAwsConfig): ClusterAws {
  const signer = keptOnceRegionIsKnown(options, autoScalingSdk);
  return {
    autoscaling: calls(options, autoScalingSdk),
    ec2: calls(options, ec2Sdk),
    monitoring: calls(options, cloudWatchSdk),
    secretsmanager: calls(options, secretsManagerSdk),
    s3: async (operation, input) => {
      const { config } = (await signer()) as unknown as { readonly config: SdkClientConfig };
      const { s3, signedCalls } = await signedClient();
      return await signedCalls(s3, signingAs(config, options.objectsEndpoint))(operation, input);
    },
  };
}

function calls<Commands>(
  options: ClusterAwsConfig,
  load: () => Promise<SdkService<Commands>>,
): ServiceCalls<OperationsOf<Commands>> {
  const client = keptOnceRegionIsKnown(options, load);
  return (async (operation: never, input: never) => {
    const { commands } = await load();
    return await callsThrough(commands, client)(operation, input);
  }) as ServiceCalls<OperationsOf<Commands>>;
}

/** Metadata may not respond for a moment in a run of days: a client without a region is not kept. */
function keptOnceRegionIsKnown<Commands>(
  options: ClusterAwsConfig,
  load: () => Promise<SdkService<Commands>>,
): () => Promise<SdkClient> {
  let kept: SdkClient | undefined;
  return async () => {
    if (kept !== undefined) return kept;
    const region = await options.region();
    const { Client } = await load();
    const config: SdkConfig = { ...(region === undefined ? {} : { region }), maxAttempts: 4, ...options.config };
    const client = new Client(config);
    if (region !== undefined) kept = client;
    return client;
  };
}
