import type { ContractTarget } from './contract-target.ts';

/** Features that not every server has. Each is found out by asking, never by the server's name. */
const probes = {
  'three data nodes': async (target: ContractTarget) =>
    (await target.get('/_cluster/health')).body.number_of_data_nodes >= 3,
  'three zones': async (target: ContractTarget) => new Set(target.nodes.map(({ zone }) => zone)).size >= 3,
  'a directory for file repositories (path.repo)': async (target: ContractTarget) =>
    target.repositoryPath !== undefined,
  security: async (target: ContractTarget) => (await target.get('/_security/_authenticate')).status === 200,
  'native users': async (target: ContractTarget) => {
    const answer = await target.put('/_security/user/contract-probe', { password: 'contract-probe', roles: [] });
    await target.delete('/_security/user/contract-probe');
    return answer.status === 200;
  },
  'nodes that the suite may restart': async (target: ContractTarget) => target.transport.restart !== undefined,
  'nodes of which the suite may stop one': async (target: ContractTarget) => target.transport.oneNode !== undefined,
  'nodes with roles and anonymous access of their own': async (target: ContractTarget) => target.transport.ownSecurity,
  // Elastic's test distribution is without the module: there the path is that of an index.
  reindex: async (target: ContractTarget) => (await target.post('/_reindex')).status === 400,
  'GET /': async (target: ContractTarget) => (await target.get('/')).status === 200,
  'snapshot lifecycle management': async (target: ContractTarget) => (await target.get('/_slm/status')).status === 200,
  'node shutdown': async (target: ContractTarget) => Array.isArray((await target.get('/_nodes/shutdown')).body.nodes),
  'the health indicator shards_availability': async (target: ContractTarget) =>
    (await target.get('/_health_report')).body.indicators?.shards_availability !== undefined,
} as const;

export type Need = keyof typeof probes;

/** The first need that is not met, in words; undefined when all are. */
export async function unmet(needs: readonly Need[], target: ContractTarget): Promise<string | undefined> {
  for (const need of needs) if (!(await probes[need](target))) return `this server does not have: ${need}`;
  return undefined;
}
