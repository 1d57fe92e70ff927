import { awsRoles, type ClusterAws, type MetadataService, metadataService, secretVersions } from '@drover/adapters/aws';
import { lazySdkAws } from '@drover/adapters/aws/lazy-sdk';
import { passwordIn } from '@drover/search-cluster';
import type { Context } from './context.ts';
import { instanceMetadata } from './metadata.ts';

const made = new WeakMap<Context, ClusterAws>();

/** AWS as this run sees it; the SDK is loaded when a client is first used. */
export function clusterAws(context: Context): ClusterAws {
  if (context.io.aws !== undefined) return context.io.aws;
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = context.io.env;
  const known =
    made.get(context) ??
    lazySdkAws({
      region: () => region(context, instanceMetadata(context)),
      objectsEndpoint: AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL,
    });
  made.set(context, known);
  return known;
}

export const roles = (context: Context) => awsRoles(clusterAws(context));

/** The environment says where; on an instance the metadata service does. */
async function region(context: Context, metadata: MetadataService): Promise<string | undefined> {
  const { AWS_REGION, AWS_DEFAULT_REGION } = context.io.env;
  return AWS_REGION ?? AWS_DEFAULT_REGION ?? (await metadata.region().catch(() => undefined));
}

/** The password in a stage of a secret. */
export async function secretPassword(
  context: Context,
  secretId: string,
  stage: 'AWSCURRENT' | 'AWSPENDING',
): Promise<string | undefined> {
  context.log.debug(`reading ${stage} of secret ${secretId}`);
  const version = await secretVersions(clusterAws(context)).read(secretId, stage);
  return version === undefined ? undefined : passwordIn(version.value);
}

export { metadataService, secretVersions };
