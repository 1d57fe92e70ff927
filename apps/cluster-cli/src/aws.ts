import { awsRoles, type ClusterAws, secretVersions } from '@drover/adapters/aws';
import { lazySdkAws } from '@drover/adapters/aws/lazy-sdk';
import type { MetadataService } from '@drover/adapters/aws/metadata';
import type { Logger } from '@drover/core/logger';
import { passwordIn } from '@drover/search-cluster';
import type { SecretStage, SecretVersions } from '@drover/search-cluster/ports';
import type { Io } from './io.ts';

export { preloadSdk } from '@drover/adapters/aws/lazy-sdk';

/** AWS as one run of the command uses it; the SDK is loaded when a client is first used. */
export interface Aws {
  readonly clients: ClusterAws;
  readonly roles: ReturnType<typeof awsRoles>;
  readonly secrets: SecretVersions;
  /** The password in a stage of a secret; undefined when no version has the stage. */
  password(secretId: string, stage: SecretStage): Promise<string | undefined>;
}

export function openAws(io: Io, metadata: MetadataService, log: Logger): Aws {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = io.env;
  const clients =
    io.aws ??
    lazySdkAws({
      region: () => region(io, metadata),
      objectsEndpoint: AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL,
    });
  const secrets = secretVersions(clients);
  return {
    clients,
    roles: awsRoles(clients),
    secrets,
    password: async (secretId, stage) => {
      log.debug(`reading ${stage} of secret ${secretId}`);
      const version = await secrets.read(secretId, stage);
      return version === undefined ? undefined : passwordIn(version.value);
    },
  };
}

/** The region of the environment, otherwise that of the instance. */
async function region(io: Io, metadata: MetadataService): Promise<string | undefined> {
  const { AWS_REGION, AWS_DEFAULT_REGION } = io.env;
  return AWS_REGION ?? AWS_DEFAULT_REGION ?? (await metadata.region().catch(() => undefined));
}
