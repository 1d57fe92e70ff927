import type { SearchNode } from '../../src/engine/coordination/search-node.ts';
import { TestCluster } from '../search-support.ts';
import { runnerFeatures } from './run-case.ts';
import { inRange } from './skip.ts';
import type { NodeSelector, YamlTarget } from './yaml-target.ts';

/** A fresh embedded cluster that reports the version of the suite. */
export async function embeddedTarget(version: string): Promise<YamlTarget> {
  const test = await TestCluster.formed(2, { version, clusterName: 'yaml-rest' }, () => ({
    roles: ['data', 'ingest', 'master', 'remote_cluster_client'],
    attributes: { testattr: 'test' },
  }));
  return {
    version,
    features: [...runnerFeatures, 'no_xpack'],
    ask(method, target, body, headers, selector = {}) {
      const node = test.nodes.find((candidate) => isSelected(candidate, selector, version));
      if (node === undefined) throw new Error(`no node fits ${JSON.stringify(selector)}`);
      return test.ask(method, target, {
        node,
        body: encode(body),
        headers: { ...typeOf(body), ...lowerCase(headers) },
      });
    },
  };
}

const isSelected = (node: SearchNode, selector: NodeSelector, version: string) =>
  (selector.version === undefined || selector.version === 'current' || inRange(version, selector.version)) &&
  Object.entries(selector.attribute ?? {}).every(([name, value]) => node.options.attributes?.[name] === value);

/** A list is a body of lines; a text is sent as it stands. */
function encode(body: unknown): unknown {
  if (Array.isArray(body))
    return `${body.map((line) => (typeof line === 'string' ? line.trimEnd() : JSON.stringify(line))).join('\n')}\n`;
  return typeof body === 'string' ? Buffer.from(body) : body;
}

const typeOf = (body: unknown): Record<string, string> =>
  typeof body === 'string' ? { 'content-type': 'application/json' } : {};

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
