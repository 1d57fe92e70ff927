/** Sentences of the explain API, by outcome ("Cluster allocation explain API"). */
export const explainTexts = {
  allocate: {
    yes: 'Elasticsearch can allocate the shard.',
    throttled:
      'Elasticsearch is currently busy with other activities. It expects to be able to allocate this shard when those activities finish. Please wait.',
    no: "Elasticsearch isn't allowed to allocate this shard to any of the nodes in the cluster. Choose a node to which you expect this shard to be allocated, find this node in the node-by-node explanation, and address the reasons which prevent Elasticsearch from allocating this shard there.",
    no_valid_shard_copy:
      "Elasticsearch can't allocate this shard because there are no copies of its data in the cluster. Elasticsearch will allocate this shard when a node holding a good copy of its data joins the cluster. If no such node is available, restore this index from a recent snapshot.",
    delayed: (remaining: string) =>
      `The node containing this shard copy recently left the cluster. Elasticsearch is waiting for it to return. If the node does not return within [${remaining}] then Elasticsearch will allocate this shard to another node. Please wait.`,
  },
  move: {
    yes: 'Elasticsearch can move this shard to another node.',
    throttled:
      'Elasticsearch is currently busy with other activities. It expects to be able to move this shard to another node when those activities finish. Please wait.',
    no: "This shard may not remain on its current node, but Elasticsearch isn't allowed to move it to another node. Choose a node to which you expect this shard to be allocated, find this node in the node-by-node explanation, and address the reasons which prevent Elasticsearch from allocating this shard there.",
  },
  rebalance: {
    yes: 'Elasticsearch can rebalance this shard to another node.',
    throttled:
      'Elasticsearch is currently busy with other activities. It will rebalance this shard when those activities finish. Please wait.',
    balanced:
      'This shard is in a well-balanced location and satisfies all allocation rules so it will remain on this node. Elasticsearch cannot improve the cluster balance by moving it to another node. If you expect this shard to be rebalanced to another node, find the other node in the node-by-node explanation and address the reasons which prevent Elasticsearch from rebalancing this shard there.',
    forbidden:
      'Elasticsearch is not allowed to allocate or rebalance this shard to another node. If you expect this shard to be rebalanced to another node, find this node in the node-by-node explanation and address the reasons which prevent Elasticsearch from rebalancing this shard there.',
    betterButForbidden:
      "Elasticsearch is allowed to allocate this shard on another node, and there is at least one node to which it could move this shard that would improve the overall cluster balance, but it isn't allowed to rebalance this shard there. If you expect this shard to be rebalanced to another node, check the cluster-wide rebalancing decisions and address any reasons preventing Elasticsearch from rebalancing shards within the cluster, and then find the expected node in the node-by-node explanation and address the reasons which prevent Elasticsearch from moving this shard there.",
  },
} as const;
