/** The reason for which an instance-minute of a fleet was paid. */
export type Reason =
  | 'job'
  | 'waiting job'
  | 'boot'
  | 'idle target'
  | 'minimum'
  | 'warm pool'
  | 'drain'
  /** Idle beyond the target, until the fleet has scaled in. */
  | 'surplus'
  /** Of an older launch template, and nothing is in the way of its end. */
  | 'retiring'
  /** Of an older launch template, while a newcomer shows that the present one boots, or an alarm says that it does not. */
  | 'roll-out'
  /** The machine failed, and its group has not let it go yet. */
  | 'dead'
  /** Its boot failed and it stays, with an alarm. */
  | 'kept for inspection'
  /** It has been booting for longer than a boot may take. */
  | 'endless boot'
  /** It runs, and no group has it. */
  | 'stray';

/** Reasons that are not worth their money for long. */
export const wasteful: ReadonlySet<Reason> = new Set(['surplus', 'retiring', 'endless boot', 'stray', 'dead']);

/** An instance of the fleet in one minute. */
export interface InstanceMinute {
  readonly id: string;
  /** Lifecycle state; undefined for one that runs without its group. */
  readonly state: string | undefined;
  readonly busy: boolean;
  readonly dead: boolean;
  /** Of an older launch template than the group launches now. */
  readonly outdated: boolean;
  /** Minutes of its boot in which nothing was in the way. */
  readonly bootMinutes: number;
  /** Minutes that it was there for nothing already: a place is kept by who has it. */
  readonly wasted: number;
}

export interface FleetMinute {
  readonly instances: readonly InstanceMinute[];
  readonly minSize: number;
  readonly idleTarget: number;
  readonly waitingJobs: number;
  readonly mostBootMinutes: number;
  /** The alarm that reports instances whose boot failed. */
  readonly bootAlarmOn: boolean;
}

/** Why each instance is there in this minute. Pure. */
export function accountMinute(fleet: FleetMinute): ReadonlyMap<string, Reason> {
  const reasons = new Map<string, Reason>();
  const open: InstanceMinute[] = [];
  for (const instance of fleet.instances) {
    const reason = ownReason(instance, fleet);
    if (reason === undefined) open.push(instance);
    else reasons.set(instance.id, reason);
  }
  const busy = [...reasons.values()].filter((reason) => reason === 'job').length;
  const ordered = open.toSorted((a, b) => a.wasted - b.wasted);
  for (const [place, instance] of ordered.entries())
    reasons.set(instance.id, placeReason(instance, place, busy, fleet));
  return reasons;
}

/** A reason that it has independently of other instances. */
function ownReason(instance: InstanceMinute, { mostBootMinutes, bootAlarmOn }: FleetMinute): Reason | undefined {
  const { state, busy, dead, bootMinutes } = instance;
  if (state === undefined) return 'stray';
  if (state.startsWith('Warmed:')) return 'warm pool';
  if (/^(Terminating|Terminated)/.test(state)) return 'drain';
  if (dead) return 'dead';
  if (busy) return 'job';
  if (state.startsWith('Pending') && bootMinutes > mostBootMinutes)
    return bootAlarmOn ? 'kept for inspection' : 'endless boot';
  return undefined;
}

/** The reason of the instance in this place, of those without a job: jobs that wait come first, then the target, then the minimum. */
function placeReason(instance: InstanceMinute, place: number, busy: number, fleet: FleetMinute): Reason {
  const { waitingJobs, idleTarget, minSize } = fleet;
  // Auto Scaling lets a boot end before it takes an instance away again.
  if (instance.state?.startsWith('Pending')) return 'boot';
  if (place >= Math.max(waitingJobs + idleTarget, minSize - busy)) {
    if (!instance.outdated) return 'surplus';
    return fleet.bootAlarmOn || fleet.instances.some(isBootingNewcomer) ? 'roll-out' : 'retiring';
  }
  if (place < waitingJobs) return 'waiting job';
  return place < waitingJobs + idleTarget ? 'idle target' : 'minimum';
}

/** Into the group, or first into its warm pool. */
const isBootingNewcomer = ({ outdated, state = '' }: InstanceMinute) => !outdated && /^(Warmed:)?Pending/.test(state);
