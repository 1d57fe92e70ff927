/** The reason for which an instance-minute of a search cluster was paid. */
export type NodeReason =
  | 'node'
  | 'boot'
  | 'drain'
  /** One more than wanted, while a refresh or the spreading of the masters replaces another. */
  | 'newcomer'
  /** Its drain or its boot failed and it stays, as doctor says. */
  | 'kept for inspection'
  /** In service beyond what its group should have, and nothing replaces it. */
  | 'surplus'
  /** The machine failed, and its group has not let it go yet. */
  | 'dead'
  /**
   * The machine failed in service, and another one launches: a group that keeps 100 % healthy lets it go when that one
   * serves, which has its own reason meanwhile.
   */
  | 'dead until another serves'
  /** It has been booting for longer than a boot may take. */
  | 'endless boot'
  /** It runs, and no group has it. */
  | 'stray';

/** Reasons that are not worth their money for long. */
export const wastefulNodes: ReadonlySet<NodeReason> = new Set(['surplus', 'dead', 'endless boot', 'stray']);

/** An instance of a group of the cluster in one minute. */
export interface NodeMinute {
  readonly id: string;
  /** Lifecycle state; undefined for one that runs without its group. */
  readonly state: string | undefined;
  readonly dead: boolean;
  /** Minutes of its boot in which nothing was in the way. */
  readonly bootMinutes: number;
  /** Minutes that it was there for nothing already: a place is kept by who has it. */
  readonly wasted: number;
}

/** A group of the cluster in one minute. */
export interface GroupMinute {
  readonly nodes: readonly NodeMinute[];
  /** How many it should have. */
  readonly size: number;
  /** A refresh, or the spreading of the masters, is under way. */
  readonly replaces: boolean;
  readonly mostBootMinutes: number;
}

/**
 * How many nodes a group should have. Masters want one more while they are spread. Other groups have room above their minimum only with
 * `max_count`: the nodes that full disks have added stay, as the input says, until a person makes the group smaller. Pure.
 */
export const wantedNodes = (
  { minSize, desiredCapacity }: { readonly minSize: number; readonly desiredCapacity: number },
  isMasters: boolean,
): number => (isMasters && minSize > 0 ? minSize : desiredCapacity);

/** Why each instance of a group is there in this minute. Pure. */
export function accountNodes({ nodes, size, replaces, mostBootMinutes }: GroupMinute): ReadonlyMap<string, NodeReason> {
  const launches = nodes.some(({ state }) => state?.startsWith('Pending'));
  const own = (node: NodeMinute) => ownReason(node, mostBootMinutes, launches);
  const serving = nodes.filter((node) => own(node) === undefined).toSorted((a, b) => a.wasted - b.wasted);
  return new Map(
    nodes.map((node) => {
      const beyond = serving.indexOf(node) >= size;
      return [node.id, own(node) ?? (!beyond ? 'node' : replaces ? 'newcomer' : 'surplus')];
    }),
  );
}

/** A reason that it has independently of other instances. */
function ownReason(
  { state, dead, bootMinutes }: NodeMinute,
  mostBootMinutes: number,
  launches: boolean,
): NodeReason | undefined {
  if (state === undefined) return 'stray';
  if (state.endsWith(':Retained')) return 'kept for inspection';
  if (/^(Terminating|Terminated)/.test(state)) return 'drain';
  if (dead) return launches && state === 'InService' ? 'dead until another serves' : 'dead';
  if (!state.startsWith('Pending')) return undefined;
  return bootMinutes > mostBootMinutes ? 'endless boot' : 'boot';
}
