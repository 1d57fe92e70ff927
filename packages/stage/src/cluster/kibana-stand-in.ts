import { basicAuth } from '@drover/adapters/elasticsearch/client';
import type { TaskContext, TaskProgram } from '@drover/cloud-aws';
import { noBody } from '@drover/cloud-engine';

const retryMs = 5_000;

/**
 * Stands in for Kibana: starts when it can log in to the cluster with its password or token, and says on every page whether it
 * still can. It has no other feature.
 */
export const kibanaStandIn: TaskProgram = async (context) => {
  while ((await logIn(context)) !== 200) {
    context.log(`[ERROR][elasticsearch-service] Unable to retrieve version information from Elasticsearch nodes.`);
    await context.clock.sleep(retryMs, context.signal);
  }
  context.log('[INFO ][status] Kibana is now available');
  return async ({ path }) => {
    const level = (await logIn(context)) === 200 ? 'available' : 'unavailable';
    const headers = { 'content-type': 'application/json', 'kbn-name': 'kibana' };
    if (path === '/api/status')
      return {
        status: level === 'available' ? 200 : 503,
        headers,
        body: JSON.stringify({ name: 'kibana', status: { overall: { level } } }),
      };
    return { status: 200, headers: { ...headers, 'content-type': 'text/html' }, body: page(level) };
  };
};

/** The status of an authenticated request, or 0 without a response. */
async function logIn({ environment, http }: TaskContext): Promise<number> {
  const { ELASTICSEARCH_HOSTS, ELASTICSEARCH_USERNAME = '', ELASTICSEARCH_PASSWORD = '' } = environment;
  const token = environment.ELASTICSEARCH_SERVICEACCOUNTTOKEN;
  const authorization =
    token === undefined ? basicAuth(ELASTICSEARCH_USERNAME, ELASTICSEARCH_PASSWORD) : `Bearer ${token}`;
  const { host, protocol } = new URL(ELASTICSEARCH_HOSTS ?? '');
  const headers = { host, authorization };
  const scheme = protocol === 'https:' ? 'https' : 'http';
  const request = { method: 'GET', protocol: scheme, host, path: '/', query: '', headers, body: noBody } as const;
  return await http(request).then(
    ({ status }) => status,
    () => 0,
  );
}

const page = (level: string) =>
  `<!doctype html><html lang="en"><title>Kibana (stand-in)</title><p>A stand-in for Kibana. Elasticsearch is ${level}.</p></html>`;
