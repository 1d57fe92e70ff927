import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { EC2Client } from '@aws-sdk/client-ec2';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Objects } from './objects.ts';
import { autoScalingSdk, cloudWatchSdk, ec2Sdk, secretsSdk } from './sdk-modules.ts';

/** The AWS clients of a search node's command, each made when it is first asked for. Only `send` is used. */
export interface ClusterAws {
  autoScaling(): Promise<Pick<AutoScalingClient, 'send'>>;
  cloudWatch(): Promise<Pick<CloudWatchClient, 'send'>>;
  ec2(): Promise<Pick<EC2Client, 'send'>>;
  secrets(): Promise<Pick<SecretsManagerClient, 'send'>>;
  objects(): Promise<Objects>;
}

export interface ClusterAwsConfig {
  /** Asked only when a client is made. */
  region(): Promise<string | undefined>;
  /** Anything else that the SDK's clients take: credentials, endpoint, requestHandler. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Address of S3. @default the region's own */
  readonly objectsEndpoint?: string | undefined;
}

type SdkConfig = Readonly<Record<string, unknown>>;

/** Real SDK clients. Each SDK package is loaded when its client is first asked for: it costs more than most commands. */
export function sdkClusterAws(options: ClusterAwsConfig): ClusterAws {
  const kept = <T>(make: (config: SdkConfig) => Promise<T>) => keptOnceRegionIsKnown(options, make);
  return {
    autoScaling: kept(async (config) => new (await autoScalingSdk()).AutoScalingClient(config)),
    cloudWatch: kept(async (config) => new (await cloudWatchSdk()).CloudWatchClient(config)),
    ec2: kept(async (config) => new (await ec2Sdk()).EC2Client(config)),
    secrets: kept(async (config) => new (await secretsSdk()).SecretsManagerClient(config)),
    objects: kept(async (config) => {
      const { AutoScalingClient } = await autoScalingSdk();
      const { signedObjects } = await import('./objects.ts');
      return signedObjects(new AutoScalingClient(config), options.objectsEndpoint);
    }),
  };
}

/** Metadata may be silent for a moment in a run of days: a client without a region is not kept. */
function keptOnceRegionIsKnown<T>(
  options: ClusterAwsConfig,
  make: (config: SdkConfig) => Promise<T>,
): () => Promise<T> {
  let made: T | undefined;
  return async () => {
    if (made !== undefined) return made;
    const region = await options.region();
    const client = await make({ ...(region === undefined ? {} : { region }), maxAttempts: 4, ...options.config });
    if (region !== undefined) made = client;
    return client;
  };
}
