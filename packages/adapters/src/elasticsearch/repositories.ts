import type { RepositoryVerification } from '@drover/search-cluster';
import type { SnapshotRepositories } from '@drover/search-cluster/snapshot-ports';
import type { SearchClient } from './client/client.ts';
import { SearchError } from './client/errors.ts';
import { asObject, asText } from './reading.ts';

const pathOf = (repository: string) => `/_snapshot/${encodeURIComponent(repository)}`;
/** Every node writes and reads a file in the bucket. */
const verifyTimeoutMs = 120_000;

/** Snapshot repositories in S3. */
export const snapshotRepositories = (client: SearchClient): SnapshotRepositories => ({
  exists: async (repository) => (await client.text({ method: 'GET', path: pathOf(repository) }, [404])).status !== 404,
  register: async (repository, { bucket, client: s3Client = 'default', readOnly = false }) => {
    const settings = { bucket, client: s3Client, ...(readOnly ? { readonly: true } : {}) };
    const body = JSON.stringify({ type: 's3', settings });
    await client.json({ method: 'PUT', path: `${pathOf(repository)}?verify=false`, body });
  },
  placeOf: async (repository) => {
    const { status, body } = await client.text({ method: 'GET', path: pathOf(repository) }, [404]);
    if (status === 404) return undefined;
    const { settings } = asObject(asObject(JSON.parse(body), 'repositories')[repository], repository);
    const { bucket, client: s3Client } = asObject(settings ?? {}, 'settings');
    return { bucket: asText(bucket ?? '', 'bucket'), client: asText(s3Client ?? 'default', 'client') };
  },
  forget: async (repository) => void (await client.json({ method: 'DELETE', path: pathOf(repository) }, [404])),
  verify: async (repository) => {
    const request = { method: 'POST', path: `${pathOf(repository)}/_verify`, timeoutMs: verifyTimeoutMs };
    const { status, body } = await client.text(request, [500]);
    if (status === 500) return { verifiedBy: [], failures: await nameNodes(client, failuresIn(body)) };
    const nodes = asObject(asObject(JSON.parse(body), 'verification').nodes, 'nodes');
    return {
      verifiedBy: Object.values(nodes).map((node) => asText(asObject(node, 'node').name, 'name')),
      failures: [],
    };
  },
});

/** `[backups] [[nodeId, 'exception'], [nodeId, 'exception']]`, or a failure of the master itself. */
function failuresIn(body: string): RepositoryVerification['failures'] {
  const { error } = JSON.parse(body) as { error?: { type?: string; reason?: string; caused_by?: { reason?: string } } };
  if (error === undefined || !/repository/.test(error.type ?? ''))
    throw new SearchError(`verification failed: ${error?.reason ?? body}`, 500, error?.type);
  const reason = error.reason ?? '';
  const nodes = [...reason.matchAll(/\[([\w-]{22}), '((?:[^']|'(?![\],]))*)'\]/g)].map(([, node, why]) => ({
    node: node!,
    why: why!,
  }));
  if (nodes.length > 0) return nodes;
  return [{ node: 'the master', why: error.caused_by?.reason ?? reason }];
}

async function nameNodes(client: SearchClient, failures: RepositoryVerification['failures']) {
  const state = asObject(await client.get('/_cluster/state/nodes?filter_path=nodes.*.name'), 'cluster state');
  const nodes = (state.nodes ?? {}) as Record<string, { name?: string }>;
  return failures.map(({ node, why }) => ({ node: nodes[node]?.name ?? node, why }));
}
