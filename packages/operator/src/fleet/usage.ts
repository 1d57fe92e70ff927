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

/** An instance within the period: its type, and the hours that it ran and lay hibernated. */
export interface InstanceUsage {
  readonly id: string;
  readonly instanceType: string;
  readonly running: number;
  readonly hibernated: number;
}

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
): { readonly usage: Usage; readonly instances: readonly InstanceUsage[]; readonly onDemandShare: number } {
  const byInstance = new Map<string, BilledActivity[]>();
  for (const activity of [...activities].sort((a, b) => a.startedAt - b.startedAt)) {
    const id = /\bi-[0-9a-f]+/.exec(activity.description)?.[0];
    if (id !== undefined) byInstance.set(id, [...(byInstance.get(id) ?? []), activity]);
  }
  const instances = [...byInstance].flatMap(([id, own]): InstanceUsage[] => {
    const { running, hibernated } = lifeOf(own, window);
    if (running + hibernated === 0) return [];
    return [{ id, instanceType: typeOf(id), running: running / hourMs, hibernated: hibernated / hourMs }];
  });
  const runningHours = instances.reduce((sum, { running }) => sum + running, 0);
  const onDemandShare = shareOnDemand(runningHours, (window.to - window.from) / hourMs, distribution);
  return { instances, usage: usageSum(instances, onDemandShare), onDemandShare };
}

/** Usage of these instances, of which a share was on-demand. */
export function usageSum(instances: readonly InstanceUsage[], onDemandShare: number): Usage {
  const runningByType = new Map<string, number>();
  const total = { running: 0, hibernated: 0 };
  for (const { instanceType, running, hibernated } of instances) {
    total.running += running;
    total.hibernated += hibernated;
    runningByType.set(instanceType, (runningByType.get(instanceType) ?? 0) + running);
  }
  const share = (part: number) => new Map([...runningByType].map(([type, hours]) => [type, hours * part]));
  return {
    runningHours: { onDemand: share(onDemandShare), spot: share(1 - onDemandShare) },
    hibernatedHours: total.hibernated,
    volumeHours: total.running + total.hibernated,
    peakRunning: 0,
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
function shareOnDemand(running: number, window: number, { onDemandBase, onDemandPercentage }: Distribution): number {
  if (running === 0) return 1;
  const base = Math.min(running, onDemandBase * window);
  // A sum of fractions may be a little more than the whole: the rest, which is spot, is never below zero.
  return Math.min(1, (base + ((running - base) * onDemandPercentage) / 100) / running);
}
