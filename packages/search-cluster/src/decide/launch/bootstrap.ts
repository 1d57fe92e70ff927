import type { WaitStep } from '@drover/core';

/** A master as the first voting configuration names it. */
export interface InitialMaster {
  readonly instanceId: string;
  /** Name of its node. */
  readonly hostName: string;
}

/** Facts that decide whether a master may take part in forming the cluster. */
export interface BootstrapFacts {
  readonly instanceId: string;
  readonly masterCount: number;
  /** The cluster has formed: a node has seen its UUID. */
  readonly formed: boolean;
  /** The record that was written once for all masters. */
  readonly recorded: readonly InitialMaster[] | undefined;
  /** Masters of the group that are not on their way out. */
  readonly visible: readonly InitialMaster[];
}

export interface RecordMasters {
  readonly kind: 'record-masters';
  readonly masters: readonly InitialMaster[];
}

/** Names for `cluster.initial_master_nodes`; none for a node that joins a cluster. */
export type InitialMasters = readonly string[] | undefined;

/**
 * Forms a cluster once: of all masters that see each other one writes the list down, and only those in it may use it. A master
 * that came later joins; so two clusters cannot form ("Bootstrapping a cluster": remove the setting once it has formed).
 */
export function decideBootstrap(facts: BootstrapFacts): WaitStep<RecordMasters, InitialMasters> {
  const { recorded, visible, masterCount, instanceId } = facts;
  if (facts.formed) return { kind: 'done', outcome: undefined };
  const isIn = (masters: readonly InitialMaster[]) => masters.some((master) => master.instanceId === instanceId);
  if (recorded !== undefined)
    return { kind: 'done', outcome: isIn(recorded) ? recorded.map(({ hostName }) => hostName) : undefined };
  const because = `${visible.length} of ${masterCount} masters are visible`;
  if (visible.length < masterCount) return { kind: 'wait', because };
  if (!isIn(visible)) return { kind: 'wait', because: `${because}, but not this one` };
  const masters = [...visible].sort((a, b) => (a.hostName < b.hostName ? -1 : 1));
  return {
    kind: 'wait',
    because: 'the list of masters is written down',
    actions: [{ kind: 'record-masters', masters }],
  };
}
