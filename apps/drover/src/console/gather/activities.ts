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

  /** Those under way come first, then the newest: a page with one that had ended before is the last that tells something new. */
  async #read(group: string): Promise<void> {
    let token: string | undefined;
    for (let page = 0; page < mostPages; page++) {
      const input = { AutoScalingGroupName: group, ...(token === undefined ? {} : { NextToken: token }) };
      const answer = await this.#aws.autoscaling.send(new DescribeScalingActivitiesCommand(input));
      const found = (answer.Activities ?? []).map((activity) => toActivity(group, activity));
      const reached = found.some(
        ({ id, startedAt }) => this.#known.get(id)?.endedAt !== undefined || startedAt < this.#since,
      );
      for (const activity of found) if (activity.startedAt >= this.#since) this.#known.set(activity.id, activity);
      token = answer.NextToken;
      if (reached || token === undefined) return;
    }
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
