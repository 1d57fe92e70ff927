import type { SearchClient } from './client/client.ts';
import { UnreadableAnswer } from './client/errors.ts';
import { addressOf } from './cluster.ts';
import { asObject, asText, asTexts } from './reading.ts';

/** The masters that vote, as the node that responds last saw them. */
export interface LastVotes {
  /** Node ids of the last committed voting configuration. */
  readonly committed: readonly string[];
  /** Members of the cluster then; a voter that had left before is not among them. */
  readonly nodes: readonly { readonly id: string; readonly ip: string }[];
}

const parts = ['metadata.cluster_coordination.last_committed_config', 'nodes.*.transport_address'];
const path = `/_cluster/state/metadata,nodes?local=true&filter_path=${parts.join()}`;

/** Needs no elected master: with `local` the node itself responds, at once and from its last state. */
export async function readLastVotes(client: SearchClient): Promise<LastVotes> {
  const doc = asObject(await client.get(path), 'cluster state');
  const coordination = asObject(asObject(doc.metadata, 'metadata').cluster_coordination, 'cluster_coordination');
  const committed = asTexts(coordination.last_committed_config, 'last_committed_config');
  if (committed.length === 0) throw new UnreadableAnswer('the node that responds has never been in the cluster');
  const nodes = Object.entries(asObject(doc.nodes, 'nodes')).map(([id, node]) => ({
    id,
    ip: addressOf(asText(asObject(node, id).transport_address, 'transport_address')),
  }));
  return { committed, nodes };
}
