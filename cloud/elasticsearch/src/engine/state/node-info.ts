import { indexVersionId, majorOf } from './versions.ts';

/** Node roles in the order of their letters, from the reference page "Node settings". */
export const roleLetters: Readonly<Record<string, string>> = {
  data: 'd',
  data_cold: 'c',
  data_content: 's',
  data_frozen: 'f',
  data_hot: 'h',
  data_warm: 'w',
  ingest: 'i',
  master: 'm',
  ml: 'l',
  remote_cluster_client: 'r',
  transform: 't',
  voting_only: 'v',
};

/** A member in the cluster state. */
export interface DiscoveryNode {
  readonly id: string;
  readonly ephemeralId: string;
  readonly name: string;
  readonly host: string;
  readonly ip: string;
  readonly transportPort: number;
  readonly httpPort: number;
  readonly roles: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly version: string;
}

export const transportAddress = (node: DiscoveryNode) => `${node.ip}:${node.transportPort}`;
export const isMasterEligible = (node: Pick<DiscoveryNode, 'roles'>) => node.roles.includes('master');
export const isVotingOnly = (node: Pick<DiscoveryNode, 'roles'>) => node.roles.includes('voting_only');
export const isDataNode = (node: Pick<DiscoveryNode, 'roles'>) =>
  node.roles.some((role) => role === 'data' || role.startsWith('data_'));

/** `cdfhilmrstw`, or `-` for a node that only coordinates. */
export function roleAbbreviation(roles: readonly string[]): string {
  const letters = roles.map((role) => roleLetters[role] ?? '').sort();
  return letters.length === 0 ? '-' : letters.join('');
}

/** A node as error messages and command explanations show it. */
export function nodeLabel(node: DiscoveryNode): string {
  const attributes = Object.entries(node.attributes).map(([name, value]) => `${name}=${value}`);
  const tail = attributes.length === 0 ? '' : `{${attributes.join(', ')}}`;
  const range = `${(majorOf(node.version) - 1) * 1_000_000 + 99}-${indexVersionId(node.version)}`;
  return `{${node.name}}{${node.id}}{${node.ephemeralId}}{${node.name}}{${node.host}}{${transportAddress(node)}}{${roleAbbreviation(node.roles)}}{${node.version}}{${range}}${tail}`;
}
