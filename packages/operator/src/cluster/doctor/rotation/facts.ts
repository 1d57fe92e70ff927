import { secretVersions } from '@drover/adapters/aws';
import type { OpenCluster } from '../../open-cluster.ts';

/** The state of passwords and tokens that are replaced by themselves. */
export interface RotationFacts {
  /** When another password of the superuser was stored that is not the current one yet; undefined: there is none. */
  readonly announcedAt: number | undefined;
  /** Undefined where the web UI logs in with a password. */
  readonly token: TokenSecret | undefined;
}

export interface TokenSecret {
  readonly secretId: string;
  readonly changedAt: number;
  /** Labels of web UIs; those that are not on the current version have an earlier token. */
  readonly uses: readonly { readonly label: string; readonly versionId: string; readonly isCurrent: boolean }[];
}

export async function readRotation({ nodeAws, outputs }: OpenCluster): Promise<RotationFacts> {
  const secrets = secretVersions(nodeAws);
  const elastic = outputs.get('elastic_secret_id') ?? '';
  const pending = await secrets.read(elastic, 'AWSPENDING');
  const current = pending === undefined ? undefined : await secrets.read(elastic, 'AWSCURRENT');
  const announcedAt = pending?.id === current?.id ? undefined : pending?.createdAt;
  return { announcedAt, token: await readToken(nodeAws, outputs.get('kibana_token_secret_id')) };
}

/** Its values are not read. */
async function readToken(
  { secretsmanager }: OpenCluster['nodeAws'],
  secretId: string | undefined,
): Promise<TokenSecret | undefined> {
  if (secretId === undefined) return undefined;
  const found = await secretsmanager('DescribeSecret', { SecretId: secretId });
  const versions = Object.entries(found.VersionIdsToStages ?? {});
  const uses = versions.flatMap(([versionId, labels]) =>
    labels
      .filter((label) => !label.startsWith('AWS'))
      .map((label) => ({ label, versionId, isCurrent: labels.includes('AWSCURRENT') })),
  );
  return { secretId, changedAt: Number(found.LastChangedDate ?? found.CreatedDate), uses };
}
