import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import type { EC2Client } from '@aws-sdk/client-ec2';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Objects } from './objects.ts';
import { autoScalingSdk, ec2Sdk, secretsSdk } from './sdk-modules.ts';

/** The AWS clients of a search node's command, each made when it is first asked for. Only `send` is used. */
export interface ClusterAws {
  autoScaling(): Promise<Pick<AutoScalingClient, 'send'>>;
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

/** Real SDK clients. Each SDK package is loaded when its client is first asked for: it costs more than most commands. */
export function sdkClusterAws(options: ClusterAwsConfig): ClusterAws {
  const config = async () => {
    const region = await options.region();
    return { ...(region === undefined ? {} : { region }), maxAttempts: 4, ...options.config };
  };
  return {
    autoScaling: once(async () => {
      const { AutoScalingClient } = await autoScalingSdk();
      return new AutoScalingClient(await config());
    }),
    ec2: once(async () => {
      const { EC2Client } = await ec2Sdk();
      return new EC2Client(await config());
    }),
    secrets: once(async () => {
      const { SecretsManagerClient } = await secretsSdk();
      return new SecretsManagerClient(await config());
    }),
    objects: once(async () => {
      const { AutoScalingClient } = await autoScalingSdk();
      const { signedObjects } = await import('./objects.ts');
      return signedObjects(new AutoScalingClient(await config()), options.objectsEndpoint);
    }),
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
