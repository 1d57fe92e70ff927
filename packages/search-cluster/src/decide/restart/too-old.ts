import { isOlder } from '../../model/version.ts';
import type { ClusterMember, NodeIdentity } from '../../ports.ts';

/**
 * Whether a node that was stopped is the last old one of an upgrade, and outside: started again in its old version it may
 * not join, as every member is newer. To stop it loses nothing.
 */
export const isTooOldToJoin = (stopped: NodeIdentity | undefined, members: readonly ClusterMember[]): boolean =>
  stopped !== undefined &&
  members.length > 0 &&
  members.every(({ id, version }) => id !== stopped.nodeId && isOlder(stopped.version, version));
