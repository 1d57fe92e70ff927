export type Colour = 'green' | 'yellow' | 'red';

/** Worst last, so that colours can be compared. */
const order: Readonly<Record<Colour, number>> = { green: 0, yellow: 1, red: 2 };

/** Whether a colour is as good as the wanted one, or better. */
export const isAtLeast = (colour: Colour, wanted: Colour): boolean => order[colour] <= order[wanted];

/** The part of `GET /_cluster/health` that decisions need. */
export interface ClusterHealth {
  readonly clusterName: string;
  readonly status: Colour;
  readonly nodes: number;
  readonly dataNodes: number;
  readonly relocatingShards: number;
  readonly initializingShards: number;
  readonly unassignedShards: number;
  /** Of the unassigned ones those that wait for their node to come back. */
  readonly delayedShards: number;
}

/** Yellow while copies are being made, or while a node that left for a moment is waited for: it passes by itself. */
export const isPassing = ({ status, initializingShards, delayedShards }: ClusterHealth): boolean =>
  status === 'yellow' && initializingShards + delayedShards > 0;
