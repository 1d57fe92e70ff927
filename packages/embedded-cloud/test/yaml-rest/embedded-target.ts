import { TestCluster } from '../search-support.ts';
import { runnerFeatures, type YamlTarget } from './run-case.ts';

/** A fresh embedded cluster that reports the version of the suite. */
export async function embeddedTarget(version: string): Promise<YamlTarget> {
  const test = await TestCluster.formed(2, { version, clusterName: 'yaml-rest' }, () => ({
    roles: ['data', 'ingest', 'master', 'remote_cluster_client'],
    attributes: { testattr: 'test' },
  }));
  return {
    version,
    features: [...runnerFeatures, 'no_xpack'],
    async ask(method, target, body, headers) {
      const bulk = Array.isArray(body)
        ? `${body.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')}\n`
        : body;
      const text = typeof bulk === 'string' && !Array.isArray(body) ? Buffer.from(bulk) : bulk;
      const type: Record<string, string> = text instanceof Uint8Array ? { 'content-type': 'application/json' } : {};
      const answer = await test.ask(method, target, { body: text, headers: { ...type, ...lowerCase(headers) } });
      return { ...answer, body: answer.body };
    },
  };
}

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
