import type { ClusterMember } from '@drover/search-cluster/ports';
import type { Context } from '../context.ts';
import { readInstanceFacts } from '../facts.ts';

/**
 * The nodes of the cluster behind an address; none without a response. Only a node that knows a master lists them this way:
 * one that may not join stands behind the load balancer too, and would report its own version as that of the cluster.
 * Needs a login: names of nodes are not public.
 */
export async function membersAt(context: Context, url: string): Promise<readonly ClusterMember[]> {
  const { protocol, hostname, port } = new URL(url);
  const scheme = protocol === 'http:' ? 'http' : 'https';
  const address = { protocol: scheme, host: hostname, port: Number(port || (scheme === 'https' ? 443 : 80)) } as const;
  return await context
    .search({ address })
    .json<readonly ClusterMember[]>({ method: 'GET', path: '/_cat/nodes?h=id,version&full_id=true&format=json' })
    .catch(() => []);
}

/** Those of this host's cluster; none where its facts do not name the address. */
export async function ownMembers(context: Context): Promise<readonly ClusterMember[]> {
  const facts = await readInstanceFacts(context.io.files).catch(() => undefined);
  const url = facts?.elasticsearch.master_url;
  return typeof url === 'string' ? await membersAt(context, url) : [];
}
