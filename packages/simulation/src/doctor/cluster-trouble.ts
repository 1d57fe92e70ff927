import type { ClusterInputs } from '@drover/stage/cluster-template';
import type { ClusterStage } from '@drover/stage/testing';
import type { Trouble } from './trouble.ts';

/** A trouble of a cluster, the row of doctor that names it, and its remedy. */
export interface ClusterTrouble extends Trouble<ClusterStage> {
  /** A cluster of its own; the others are mended before the next one begins, and share the small one. */
  readonly inputs?: ClusterInputs;
}
