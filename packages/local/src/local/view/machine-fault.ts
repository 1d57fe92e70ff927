import type { SearchNode } from '@drover/cloud-elasticsearch';
import type { World } from '@drover/cloud-world';
import type { InstanceState } from '@drover/observation/api';
import { leastFreeBytes } from '@drover/runner-fleet';

/** Auto Scaling ends the instance itself; before that, hooks wait for a living machine. */
const endsByGroup = /(Terminating:Proceed|Terminating|Terminated)$/;

/** The fault of a machine, read from the machine itself. One that ends as its group wants has none. */
export function machineFault(
  world: World,
  instanceId: string,
  lifecycleState: string,
  node?: SearchNode,
  others: readonly SearchNode[] = [],
): InstanceState['machine'] {
  const machine = world.machines.get(instanceId);
  if (machine === undefined) return undefined;
  if (machine.state === 'crashed') return world.observe.instance(instanceId)?.state === 'running' ? 'hung' : 'gone';
  if (machine.state === 'gone' && !endsByGroup.test(lifecycleState)) return 'gone';
  if (node !== undefined && isAlone(node, others)) return 'unreachable';
  return (node === undefined ? machine.disk.freeBytes < leastFreeBytes : isFlooded(node)) ? 'full' : undefined;
}

/** A node that runs, as others do, and that none of them reaches. */
const isAlone = (node: SearchNode, others: readonly SearchNode[]): boolean =>
  node.running && node.reachableIds().size === 1 && others.some((other) => other !== node && other.running);

/** Above the flood stage of Elasticsearch (`cluster.routing.allocation.disk.watermark.flood_stage`), 95 % of the disk. */
const isFlooded = ({ freeBytes, diskBytes }: SearchNode): boolean => freeBytes < diskBytes * 0.05;
