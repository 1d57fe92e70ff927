import { expect, it, type TestContext } from 'vitest';
import { ContractTarget } from './contract-target.ts';
import { type Need, unmet } from './needs.ts';
import type { ClusterFacts } from './normalise.ts';
import { openTransport, serverUrl } from './target.ts';
import type { Transport } from './transport.ts';

/** A case that the embedded cluster and a real one must both pass. `needs` are probed; without them the case is skipped. */
export function contract(
  title: string,
  body: (target: ContractTarget) => Promise<void>,
  { needs = [] }: { readonly needs?: readonly Need[] } = {},
): void {
  it(title, { timeout: 300_000 }, async (context: TestContext) => {
    const transport = await openTransport();
    const target = new ContractTarget(title, transport, await factsOf(transport));
    context.onTestFinished(async () => {
      expect(await target.close(), `what could not be undone after ${title}`).toEqual([]);
    }, 300_000);
    const missing = await unmet(needs, target);
    // A server may lack a feature. The embedded cluster may not: that is a failure.
    if (missing !== undefined && serverUrl === undefined) throw new Error(missing);
    if (missing !== undefined) context.skip(missing);
    await body(target);
  });
}

async function factsOf(transport: Transport): Promise<ClusterFacts> {
  const asking = new ContractTarget('facts', transport, {
    nodes: [],
    clusterName: '',
    version: '',
    repositoryPath: undefined,
  });
  const { body } = await asking.must('GET', '/_nodes/settings');
  const nodes = Object.entries(body.nodes as Record<string, NodeInfo>)
    .map(([id, node]) => ({ id, ...node, zone: node.attributes?.zone }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const paths = nodes[0]!.settings?.path?.repo;
  return {
    nodes,
    clusterName: body.cluster_name,
    version: nodes[0]!.version,
    repositoryPath: typeof paths === 'string' ? paths : paths?.[0],
  };
}

interface NodeInfo {
  readonly name: string;
  readonly version: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly settings?: { readonly path?: { readonly repo?: string | readonly string[] } };
}
