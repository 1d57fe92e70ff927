import { SearchError } from '@drover/adapters/elasticsearch/client';
import type { Context } from '../../context.ts';

/** The Elasticsearch process of this host, as far as it says anything. */
export interface LocalNode {
  /** Of the process, whatever its files are. */
  readonly version?: string;
  /** The cluster that it has been in since its start. */
  readonly clusterUuid?: string;
  /** Whether it has been in none. One that refuses the password of the cluster has not either. */
  readonly alone: boolean;
}

/** The facts that `node prepare` wrote before; none where there is no such file, or it cannot be read. */
export function knownFacts(text: string | undefined): {
  readonly initial_masters?: unknown;
  readonly version?: string;
} {
  try {
    const { search_node } = JSON.parse(text ?? '{}') as { search_node?: ReturnType<typeof knownFacts> };
    return search_node ?? {};
  } catch {
    return {};
  }
}

/** The UUID of a node that has been in no cluster since its start. */
const noCluster = '_na_';

/** Any failure means that it is not known: Elasticsearch has not been started at the first run. */
export async function localNode(context: Context): Promise<LocalNode> {
  const request = { method: 'GET', path: '/' } as const;
  const found = await context
    .search({ monitoring: true })
    .json<{ readonly cluster_uuid?: string; readonly version?: { readonly number?: string } }>(request)
    .catch((error: unknown) => (error instanceof SearchError && error.status === 401 ? 'refused' : undefined));
  if (found === 'refused') return { alone: true };
  const { cluster_uuid: uuid, version } = found ?? {};
  return {
    alone: uuid === noCluster,
    ...(version?.number === undefined ? {} : { version: version.number }),
    ...(uuid === undefined || uuid === noCluster ? {} : { clusterUuid: uuid }),
  };
}
