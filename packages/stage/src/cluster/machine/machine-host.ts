import type { NodeOptions, SearchClusterOptions, SearchNode } from '@drover/cloud-elasticsearch';
import type { MachineView, ProcessContext, Program } from '@drover/cloud-machines';
import type { World } from '@drover/cloud-world';
import type { Catalogs } from './catalog-step.ts';

/** A node and its intended cluster, from the configuration files. */
export interface PlannedNode {
  readonly cluster: SearchClusterOptions;
  readonly node: NodeOptions;
  /** Whether it can find others: its role may ask EC2 for the instances with its tags. */
  readonly discovers: boolean;
  /** The clients of S3 that its settings name, as it read them when it started. */
  readonly s3Clients: Readonly<Record<string, unknown>>;
}

/** The simulation around a search machine. */
export interface SearchMachineHost {
  readonly world: World;
  /** Search nodes by instance id. */
  readonly nodes: ReadonlyMap<string, SearchNode>;
  /** The real `cluster-cli`. */
  readonly command: Program;
  /** The one of this tree, whatever the machine was launched with. */
  readonly nextCommand: Program;
  /** The catalogues of Puppet that a machine has, by the version of its software. @default those of this tree */
  readonly catalogs?: ((moduleVersion: string) => Catalogs | undefined) | undefined;
  /** Lines that the Puppet tree of a version adds to files of a node. @default nothing */
  readonly filesOf?: ((version: string) => Readonly<Record<string, string>>) | undefined;
  /** Versions of Elasticsearch that no mirror has. @default none */
  readonly unpublished?: readonly string[] | undefined;
  /** Starts the node on the instance's own disk: the same node again when there was one. */
  startNode(context: ProcessContext, planned: PlannedNode): SearchNode;
  /** The file system of Elasticsearch's data has this size from now on. */
  resized(machine: MachineView, bytes: number): void;
}

/** Says what went wrong as a program would, and ends it. */
export class BootFailure extends Error {}

/** The keys of the instance's role. */
export function roleOf(world: World, machine: Pick<MachineView, 'instance'>) {
  const credentials = world.machines.credentialsOf(machine.instance.id);
  if (credentials === undefined) throw new BootFailure(`instance ${machine.instance.id} has no role`);
  return { credentials };
}
