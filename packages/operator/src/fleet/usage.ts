import type { Usage } from './prices.ts';

/** A scaling activity, as far as the bill depends on it. */
export interface BilledActivity {
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** E.g. `Terminating EC2 instance: i-…`. */
  readonly description: string;
}

/** How the group divides its capacity between on-demand and spot. */
export interface Distribution {
  readonly onDemandBase: number;
  /** Of what is above the base, from 0 to 100. */
  readonly onDemandPercentage: number;
}

const hourMs = 3_600_000;

/** When an instance ran, lay hibernated, and was there at all, in milliseconds. */
interface Life {
  running: number;
  hibernated: number;
}

/**
 * Usage of a group's instances between two moments, by its activities. An instance runs from the beginning of its
 * launch to the end of its termination; one that was launched into the warm pool lies hibernated from the end of that
 * launch until it is taken out.
 */
export function usageOf(
  activities: readonly BilledActivity[],
  window: { readonly from: number; readonly to: number },
  typeOf: (instanceId: string) => string,
  distribution: Distribution,
): { readonly usage: Usage; readonly instances: number } {
  const byInstance = new Map<string, BilledActivity[]>();
  for (const activity of [...activities].sort((a, b) => a.startedAt - b.startedAt)) {
    const id = /\bi-[0-9a-f]+/.exec(activity.description)?.[0];
    if (id !== undefined) byInstance.set(id, [...(byInstance.get(id) ?? []), activity]);
  }
  const runningByType = new Map<string, number>();
  const total = { running: 0, hibernated: 0, instances: 0 };
  for (const [id, own] of byInstance) {
    const { running, hibernated } = lifeOf(own, window);
    if (running + hibernated === 0) continue;
    total.instances += 1;
    total.running += running;
    total.hibernated += hibernated;
    const type = typeOf(id);
    runningByType.set(type, (runningByType.get(type) ?? 0) + running / hourMs);
  }
  const onDemandShare = shareOnDemand(total.running, window.to - window.from, distribution);
  const share = (part: number) => new Map([...runningByType].map(([type, hours]) => [type, hours * part]));
  return {
    instances: total.instances,
    usage: {
      runningHours: { onDemand: share(onDemandShare), spot: share(1 - onDemandShare) },
      hibernatedHours: total.hibernated / hourMs,
      volumeHours: (total.running + total.hibernated) / hourMs,
      peakRunning: 0,
    },
  };
}

function lifeOf(activities: readonly BilledActivity[], { from, to }: { from: number; to: number }): Life {
  const life: Life = { running: 0, hibernated: 0 };
  // One that was launched before the first activity that is still kept ran all the time.
  let state: keyof Life | 'gone' = /^Launching/.test(activities[0]!.description) ? 'gone' : 'running';
  let since = from;
  const move = (at: number, next: typeof state) => {
    const until = Math.min(Math.max(at, from), to);
    if (state !== 'gone') life[state] += Math.max(0, until - since);
    since = Math.max(until, from);
    state = next;
  };
  for (const { description, startedAt, endedAt = to } of activities) {
    if (/^Terminating/.test(description)) move(endedAt, 'gone');
    else if (/^Launching/.test(description)) {
      move(startedAt, 'running');
      if (/into warm pool/.test(description)) move(endedAt, 'hibernated');
    } else if (/^Returning/.test(description)) move(endedAt, 'hibernated');
  }
  move(to, 'gone');
  return life;
}

/** The base is on demand first; activities do not say which instance is which. */
function shareOnDemand(
  runningMs: number,
  windowMs: number,
  { onDemandBase, onDemandPercentage }: Distribution,
): number {
  if (runningMs === 0) return 1;
  const base = Math.min(runningMs, onDemandBase * windowMs);
  return (base + ((runningMs - base) * onDemandPercentage) / 100) / runningMs;
}
