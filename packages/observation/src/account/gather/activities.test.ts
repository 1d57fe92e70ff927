import type { Activity } from '@aws-sdk/client-auto-scaling';
import type { OperatorClients } from '@drover/operator/io';
import { describe, expect, it } from 'vitest';
import { activityReadings } from './activities.ts';

const minute = 60_000;
const perPage = 2;

/** A group whose list of activities may change between two pages: those under way first, then the newest, tokens that count places. */
class Group {
  readonly #activities: Activity[] = [];
  readonly changes: (() => void)[] = [];
  calls = 0;

  /** Terminations of `i-1` to `i-<count>`, one after the other. */
  ended(count: number): this {
    for (let number = 1; number <= count; number++) this.begin(number).EndTime = new Date((number + 1) * minute);
    return this;
  }

  begin(number: number): Activity {
    const activity: Activity = {
      ActivityId: `a-${number}`,
      AutoScalingGroupName: 'runners',
      Description: `Terminating EC2 instance: i-${number}`,
      Cause: '',
      StartTime: new Date(number * minute),
      StatusCode: 'Successful',
    };
    this.#activities.unshift(activity);
    return activity;
  }

  get aws(): OperatorClients {
    return { autoscaling: { send: async ({ input }: { input: Asked }) => this.#answer(input) } } as never;
  }

  #answer({ NextToken, ActivityIds }: Asked) {
    this.calls += 1;
    const [underWay, ended] = [false, true].map((is) =>
      this.#activities.filter(
        ({ EndTime, ActivityId }) => is === (EndTime !== undefined) && (ActivityIds?.includes(ActivityId!) ?? true),
      ),
    );
    const all = [...underWay!, ...ended!];
    const from = Number(NextToken ?? 0);
    const next = from + perPage;
    const page = { Activities: all.slice(from, next), ...(next < all.length ? { NextToken: String(next) } : {}) };
    const answer = structuredClone(page);
    this.changes.shift()?.();
    return answer;
  }
}

interface Asked {
  readonly NextToken?: string;
  readonly ActivityIds?: readonly string[];
}

function readingsOf(group: Group) {
  const readings = activityReadings(group.aws, ['runners'], 0);
  const [source] = readings.sources;
  return { read: () => source!.read(), instances: () => readings.all().map(({ instance }) => instance) };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `i-${index + 1}`);

describe('scaling activities of an account', () => {
  it('all pages are read the first time, also when an activity begins between two pages and the next page repeats one', async () => {
    const group = new Group().ended(7);
    const { read, instances } = readingsOf(group);
    group.changes.push(() => group.begin(8));

    await read();

    expect(instances().slice(0, 7)).toEqual(numbered(7));
    await read();
    expect(instances()).toEqual(numbered(8));
  });

  it('all pages are read again when an activity that was under way ends between two pages and another takes its place', async () => {
    const group = new Group();
    const long = group.begin(0);
    group.ended(6);
    const { read, instances } = readingsOf(group);
    group.changes.push(() => {
      long.EndTime = new Date(8 * minute);
    });

    await read();

    expect(instances()).toEqual(['i-0', ...numbered(6)]);
  });

  it('a read that failed on a later page is made good by the next', async () => {
    const group = new Group().ended(5);
    const { read, instances } = readingsOf(group);
    group.changes.push(
      () => {},
      () => {
        throw new Error('Throttling');
      },
    );

    await expect(read()).rejects.toThrow('Throttling');
    await read();

    expect(instances()).toEqual(numbered(5));
  });

  it('once everything is known, a page that shows nothing new is the last', async () => {
    const group = new Group().ended(9);
    const { read } = readingsOf(group);
    await read();
    const before = group.calls;

    await read();

    expect(group.calls - before).toBe(1);
  });
});
