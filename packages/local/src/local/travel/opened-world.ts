import type { Deployment } from '../deployment.ts';
import type { Inputs } from '../inputs.ts';
import type { LocalWorld } from '../local-world.ts';
import type { Session } from '../session.ts';

/** A world that is deployed and has come to where its session had. */
export interface OpenedWorld {
  readonly deployment: Deployment;
  readonly local: LocalWorld;
  readonly inputs: Inputs;
  readonly session: Session;
}
