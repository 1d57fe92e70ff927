import type { ClusterState } from '../state/cluster-state.ts';
import { atLeast, majorOf, versionParts } from '../state/versions.ts';

/**
 * Why a node of this version may not join, in the words of the server: "Nodes of an older version cannot join once every node is
 * newer", and nodes only talk to releases of the last minor of the major before theirs ("Upgrade Elasticsearch").
 */
export function joinProblem(version: string, { nodes }: Pick<ClusterState, 'nodes'>): string | undefined {
  const present = [...nodes.values()].map((node) => node.version).sort((a, b) => (atLeast(a, b) ? 1 : -1));
  const [oldest, newest] = [present[0], present.at(-1)];
  if (oldest === undefined || newest === undefined) return undefined;
  if (!atLeast(version, oldest))
    return `node version [${version}] may not join a cluster comprising only nodes of version [${oldest}] or greater`;
  if (!atLeast(oldest, leastCompatible(version)))
    return `node version [${version}] is not supported. The cluster contains nodes with version [${oldest}], which is incompatible.`;
  return undefined;
}

/** The oldest release whose nodes a release talks to. */
function leastCompatible(version: string): string {
  const [major, minor] = versionParts(version);
  if (major >= 9) return minor === 0 ? '8.18.0' : '8.19.0';
  return majorOf(version) === 8 ? '7.17.0' : '6.8.0';
}
