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
}

const mostPages = 20;
const mostKept = 5_000;
const idsPerCall = 50;
/** As often all pages are read when the list changed meanwhile. */
const mostPasses = 3;

/** The activities of the groups, as far back as they are read. */
export class ActivityReadings {
  readonly #aws: OperatorClients;
  readonly #names: readonly string[];
  readonly #since: number;
  readonly #known = new Map<string, GroupActivity>();
  /** Those that had ended when a read last came to its end, by group: everything older is known too. */
  readonly #settled = new Map<string, ReadonlySet<string>>();

  constructor(aws: OperatorClients, names: readonly string[], since: number) {
    this.#aws = aws;
    this.#names = names;
    this.#since = since;
  }

  get sources(): readonly Source[] {
    return this.#names.map((name) => ({ what: 'scaling activities', everyMs: 15_000, read: () => this.#read(name) }));
  }

  /** Oldest first. */
  get all(): readonly GroupActivity[] {
    return [...this.#known.values()].sort((a, b) => a.startedAt - b.startedAt);
  }

  async #read(group: string): Promise<void> {
    const underWay = new Set(this.all.filter((one) => one.group === group && !hasEnded(one)).map(({ id }) => id));
    for (const { id } of await this.#readNew(group)) underWay.delete(id);
    // One that lasted long has ended among older ones, which were not read again.
    const ids = [...underWay].slice(0, idsPerCall);
    if (ids.length > 0) await this.#ask(group, { ActivityIds: ids });
  }

  /** A token counts places: when one that was under way ends, it changes its place, and others may come to a page that was read before. */
  async #readNew(group: string): Promise<readonly GroupActivity[]> {
    const read: GroupActivity[] = [];
    for (let pass = 0; pass < mostPasses; pass++) {
      const { found, pages } = await this.#readPages(group);
      read.push(...found);
      if (pages === 1 || !(await this.#hasEndedMeanwhile(group, found))) break;
    }
    this.#settled.set(group, new Set(this.all.filter(hasEnded).map(({ id }) => id)));
    return read;
  }

  /**
   * Those under way come first, then the newest: a page with one that is settled is the last that shows something new.
   */
  async #readPages(group: string): Promise<{ readonly found: readonly GroupActivity[]; readonly pages: number }> {
    const settled = this.#settled.get(group);
    const all: GroupActivity[] = [];
    let token: string | undefined;
    let pages = 0;
    do {
      const { found, next } = await this.#ask(group, token === undefined ? {} : { NextToken: token });
      all.push(...found);
      pages += 1;
      token = next;
      if (found.some((one) => settled?.has(one.id) || (hasEnded(one) && one.startedAt < this.#since))) break;
    } while (token !== undefined && pages < mostPages);
    return { found: all, pages };
  }

  async #hasEndedMeanwhile(group: string, read: readonly GroupActivity[]): Promise<boolean> {
    const ids = read.filter((one) => !hasEnded(one)).map(({ id }) => id);
    if (ids.length === 0) return false;
    const { found } = await this.#ask(group, { ActivityIds: ids.slice(0, idsPerCall) });
    return found.some(hasEnded);
  }

  async #ask(group: string, which: { readonly NextToken?: string; readonly ActivityIds?: string[] }) {
    const { Activities = [], NextToken } = await this.#aws.autoscaling.send(
      new DescribeScalingActivitiesCommand({ AutoScalingGroupName: group, ...which }),
    );
    const found = Activities.map((activity) => toActivity(group, activity));
    for (const activity of found) if (activity.startedAt >= this.#since) this.#known.set(activity.id, activity);
    for (const { id } of this.all.slice(0, -mostKept)) this.#known.delete(id);
    return { found, next: NextToken };
  }
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
  };
}
