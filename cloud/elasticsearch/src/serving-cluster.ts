import { type Engine, type Served, type ServeOptions, serve } from '@drover/cloud-engine';
import type { SearchNode } from './engine/coordination/search-node.ts';
import { SearchCluster as ClusterEngine, type SearchClusterOptions } from './engine/search-cluster.ts';
import { respond } from './http/respond.ts';

/** Elasticsearch nodes that respond to HTTP requests: the engine with its REST API. */
export class SearchCluster extends ClusterEngine {
  constructor(engine: Engine, options: SearchClusterOptions = {}) {
    super(engine, options, respond);
  }
}

/** Serves one node over HTTP on loopback. */
export function serveNode(node: SearchNode, options: ServeOptions = {}): Promise<Served> {
  return serve((request) => node.handle(request), options);
}
