import { type Activity, DescribeScalingActivitiesCommand } from '@aws-sdk/client-auto-scaling';
import type { OperatorClients } from '@drover/operator/io';
import type { Source } from '../rota.ts';

/** One scaling activity of a group. */
export interface GroupActivity {
  readonly id: string;
  readonly group: string;
  readonly kind: 'launch' | 'termination' | 'other';
  readonly instance: string | undefined;
  readonly description: string;
  readonly cause: string;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly status: string;
  readonly message: string;
  /** Undefined where AWS does not say it. */
  readonly zone?: string | undefined;
}

const mostPages = 20;
const mostKept = 5_000;
const idsPerCall = 50;
/** As often all pages are read when the list changed meanwhile. */
const mostPasses = 3;

/** The activities of the groups, as far back as they are read. */
export function activityReadings(aws: OperatorClients, names: readonly string[], since: number) {
  const known = new Map<string, GroupActivity>();
  /** Those that had ended when a read last came to its end, by group: everything older is known too. */
  const settledOf = new Map<string, ReadonlySet<string>>();
  const all = () => [...known.values()].sort((a, b) => a.startedAt - b.startedAt);

  async function read(group: string): Promise<void> {
    const underWay = new Set(all().flatMap((one) => (one.group === group && !hasEnded(one) ? [one.id] : [])));
    for (const { id } of await readNew(group)) underWay.delete(id);
    // One that lasted long has ended among older ones, which were not read again.
    const ids = [...underWay].slice(0, idsPerCall);
    if (ids.length > 0) await ask(group, { ActivityIds: ids });
  }

  /** A token counts places: when one that was under way ends, it changes its place, and others may come to a page that was read before. */
  async function readNew(group: string): Promise<readonly GroupActivity[]> {
    const found: GroupActivity[] = [];
    for (let pass = 0; pass < mostPasses; pass++) {
      const { found: now, pages } = await readPages(group);
      found.push(...now);
      if (pages === 1 || !(await hasEndedMeanwhile(group, now))) break;
    }
    settledOf.set(group, new Set(all().flatMap((one) => (hasEnded(one) ? [one.id] : []))));
    return found;
  }

  /**
   * Those under way come first, then the newest: a page with one that is settled is the last that shows something new.
   */
  async function readPages(group: string) {
    const settled = settledOf.get(group);
    const found: GroupActivity[] = [];
    let token: string | undefined;
    let pages = 0;
    do {
      const page = await ask(group, token === undefined ? {} : { NextToken: token });
      found.push(...page.found);
      pages += 1;
      token = page.next;
      if (page.found.some((one) => settled?.has(one.id) || (hasEnded(one) && one.startedAt < since))) break;
    } while (token !== undefined && pages < mostPages);
    return { found, pages };
  }

  async function hasEndedMeanwhile(group: string, found: readonly GroupActivity[]): Promise<boolean> {
    const ids = found.filter((one) => !hasEnded(one)).map(({ id }) => id);
    if (ids.length === 0) return false;
    return (await ask(group, { ActivityIds: ids.slice(0, idsPerCall) })).found.some(hasEnded);
  }

  async function ask(group: string, which: { readonly NextToken?: string; readonly ActivityIds?: string[] }) {
    const command = new DescribeScalingActivitiesCommand({ AutoScalingGroupName: group, ...which });
    const { Activities = [], NextToken } = await aws.autoscaling.send(command);
    const found = Activities.map((activity) => toActivity(group, activity));
    for (const activity of found) if (activity.startedAt >= since) known.set(activity.id, activity);
    for (const { id } of all().slice(0, -mostKept)) known.delete(id);
    return { found, next: NextToken };
  }

  const sources = names.map(
    (name): Source => ({ what: 'scaling activities', everyMs: 15_000, read: () => read(name) }),
  );
  /** `all` is the oldest first. */
  return { sources, all };
}

const hasEnded = ({ endedAt }: GroupActivity): boolean => endedAt !== undefined;

function toActivity(group: string, activity: Activity): GroupActivity {
  const { ActivityId = '', Description = '', Cause = '', StartTime, EndTime, StatusCode = '' } = activity;
  const kind = Description.startsWith('Launching')
    ? 'launch'
    : Description.startsWith('Terminating')
      ? 'termination'
      : 'other';
  return {
    id: ActivityId,
    group,
    kind,
    instance: /\bi-[0-9a-f]+/.exec(Description)?.[0],
    description: Description,
    cause: Cause,
    startedAt: StartTime?.getTime() ?? 0,
    endedAt: EndTime?.getTime(),
    status: StatusCode,
    message: activity.StatusMessage ?? '',
    zone: /"Availability Zone": ?"([^"]+)"/.exec(activity.Details ?? '')?.[1],
  };
}
