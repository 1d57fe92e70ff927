import { type Activity, DescribeScalingActivitiesCommand } from '@aws-sdk/client-auto-scaling';
import type { OperatorClients } from '../../io.ts';
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

/** What the groups have done, as far back as is looked at. */
export class ActivityReadings {
  readonly #aws: OperatorClients;
  readonly #names: readonly string[];
  readonly #since: number;
  readonly #known = new Map<string, GroupActivity>();

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
    const underWay = new Set(
      this.all.filter((one) => one.group === group && one.endedAt === undefined).map(({ id }) => id),
    );
    for (const { id } of await this.#readNew(group)) underWay.delete(id);
    // One that lasted long has ended among older ones, which were not read again.
    const ids = [...underWay].slice(0, idsPerCall);
    if (ids.length > 0) await this.#ask(group, { ActivityIds: ids });
  }

  /** Those under way come first, then the newest: a page with one that had ended before is the last that tells something new. */
  async #readNew(group: string): Promise<readonly GroupActivity[]> {
    const read: GroupActivity[] = [];
    let token: string | undefined;
    for (let page = 0; page < mostPages; page++) {
      const ended = new Set(this.all.filter(({ endedAt }) => endedAt !== undefined).map(({ id }) => id));
      const { found, next } = await this.#ask(group, token === undefined ? {} : { NextToken: token });
      read.push(...found);
      token = next;
      const reached = found.some(({ id, startedAt }) => ended.has(id) || startedAt < this.#since);
      if (reached || token === undefined) break;
    }
    return read;
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
