import type { SearchNode } from '../../engine/coordination/search-node.ts';
import type { SearchCluster } from '../../engine/search-cluster.ts';

export const buildHash = '0000000000000000000000000000000000000000';

/** The figures that a node's process and machine report. Load, memory and files are plausible, not measured. */
export function nodeUsage(cluster: SearchCluster, node: SearchNode, nowMs: number) {
  const memoryTotal = node.options.memoryBytes ?? 8 * 1024 ** 3;
  // A saw-tooth between collections, the same for the same moment.
  const heapPercent = node.heapPercent ?? 30 + (Math.floor((nowMs - node.startedAtMs) / 7000) % 30);
  const memoryPercent = 70;
  return {
    pid: 1000 + cluster.nodes.indexOf(node),
    jdk: '24',
    buildHash,
    heapUsed: Math.floor((node.heapBytes * heapPercent) / 100),
    heapPercent,
    memoryTotal,
    memoryUsed: Math.floor((memoryTotal * memoryPercent) / 100),
    memoryPercent,
    openFiles: 300 + node.copies.size * 10,
    cpuPercent: 5,
    load: [0.25, 0.2, 0.15] as const,
  };
}
