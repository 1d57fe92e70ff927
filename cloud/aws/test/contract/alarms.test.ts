import {
  DeleteAlarmsCommand,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  GetMetricStatisticsCommand,
  PutMetricAlarmCommand,
  PutMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import { expect } from 'vitest';
import { contract } from './contract.ts';
import { contractTag, minutes, seconds, type Target } from './target.ts';

const treatments = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;
type Treatment = (typeof treatments)[number];

/** One metric with an alarm for each way to treat missing data. */
class Watched {
  readonly #target: Target;
  readonly #namespace: string;
  readonly #names: ReadonlyMap<Treatment, string>;
  /** How far CloudWatch's clock is ahead of ours. */
  #aheadMs = 0;

  private constructor(target: Target, namespace: string, names: ReadonlyMap<Treatment, string>) {
    this.#target = target;
    this.#namespace = namespace;
    this.#names = names;
  }

  static async create(target: Target, periods: { evaluated: number; toAlarm: number }): Promise<Watched> {
    const { cloudwatch } = target.clients;
    const Namespace = target.uniqueName('metrics');
    const names = new Map(treatments.map((treatment) => [treatment, target.uniqueName(treatment)]));
    target.cleanup(() => cloudwatch.send(new DeleteAlarmsCommand({ AlarmNames: [...names.values()] })));
    for (const [TreatMissingData, AlarmName] of names)
      await cloudwatch.send(
        new PutMetricAlarmCommand({
          AlarmName,
          Namespace,
          MetricName: 'Load',
          Statistic: 'Maximum',
          Period: 60,
          EvaluationPeriods: periods.evaluated,
          DatapointsToAlarm: periods.toAlarm,
          Threshold: 10,
          ComparisonOperator: 'GreaterThanThreshold',
          TreatMissingData,
          Tags: [{ Key: contractTag, Value: AlarmName }],
        }),
      );
    const watched = new Watched(target, Namespace, names);
    const [alarm] = await watched.#alarms();
    watched.#aheadMs = (alarm?.StateUpdatedTimestamp?.getTime() ?? 0) - target.now();
    return watched;
  }

  get #now(): number {
    return this.#target.now() + this.#aheadMs;
  }

  /** A value above the threshold in the present minute. */
  async putBreach(): Promise<void> {
    const Timestamp = new Date(this.#now - (this.#now % minutes(1)));
    const input = { Namespace: this.#namespace, MetricData: [{ MetricName: 'Load', Value: 50, Timestamp }] };
    await this.#target.clients.cloudwatch.send(new PutMetricDataCommand(input));
  }

  async #alarms() {
    const input = { AlarmNames: [...this.#names.values()] };
    return (await this.#target.clients.cloudwatch.send(new DescribeAlarmsCommand(input))).MetricAlarms ?? [];
  }

  async states(): Promise<Record<Treatment, string>> {
    const MetricAlarms = await this.#alarms();
    const stateOf = (name: string) => MetricAlarms.find(({ AlarmName }) => AlarmName === name)?.StateValue;
    return Object.fromEntries([...this.#names].map(([treatment, name]) => [treatment, stateOf(name)])) as never;
  }

  /** Puts a breaching value every twenty seconds until every alarm has gone off. */
  async breach(): Promise<void> {
    const allInAlarm = async () => {
      await this.putBreach();
      return Object.values(await this.states()).every((state) => state === 'ALARM');
    };
    await this.#target.until('four alarms', allInAlarm, minutes(10), seconds(20));
  }

  becomes(treatment: Treatment, state: string): Promise<true> {
    const there = async () => (await this.states())[treatment] === state;
    return this.#target.until(`${treatment} in ${state}`, there, minutes(15)).then(() => true);
  }

  /** When the minute began from which the newest datapoint is. */
  async newestDatapoint(): Promise<number> {
    const { Datapoints = [] } = await this.#target.clients.cloudwatch.send(
      new GetMetricStatisticsCommand({
        Namespace: this.#namespace,
        MetricName: 'Load',
        StartTime: new Date(this.#now - minutes(60)),
        EndTime: new Date(this.#now + minutes(10)),
        Period: 60,
        Statistics: ['Maximum'],
      }),
    );
    return Math.max(...Datapoints.map(({ Timestamp }) => Timestamp?.getTime() ?? 0));
  }

  /** When the alarm last changed its state. */
  async changedAt(treatment: Treatment): Promise<number> {
    const input = { AlarmName: this.#names.get(treatment), HistoryItemType: 'StateUpdate' } as const;
    const { AlarmHistoryItems = [] } = await this.#target.clients.cloudwatch.send(
      new DescribeAlarmHistoryCommand(input),
    );
    return Math.max(...AlarmHistoryItems.map(({ Timestamp }) => Timestamp?.getTime() ?? 0));
  }
}

// Naive: treats missing data as zero, or every treatment alike; and forgets the last datapoint after one period.
contract(
  '[rule 13] an alarm treats missing data as configured, after looking back over more datapoints than it evaluates',
  { minutes: 14 },
  async (target) => {
    const watched = await Watched.create(target, { evaluated: 1, toAlarm: 1 });
    await watched.breach();
    const last = await watched.newestDatapoint();

    await watched.becomes('missing', 'INSUFFICIENT_DATA');
    await watched.becomes('notBreaching', 'OK');

    await target.pass(minutes(2));
    expect(await watched.states()).toEqual({
      missing: 'INSUFFICIENT_DATA',
      ignore: 'ALARM',
      breaching: 'ALARM',
      notBreaching: 'OK',
    });
    // The minute without data right after the last datapoint does not count yet: the datapoint is still looked at.
    expect((await watched.changedAt('notBreaching')) - last).toBeGreaterThanOrEqual(minutes(3));
  },
);

// Naive: counts the missing minute among the three, and wavers with every gap.
contract(
  '[rule 13] an alarm ignores a gap as long as its range holds enough real datapoints',
  { minutes: 16 },
  async (target) => {
    const watched = await Watched.create(target, { evaluated: 3, toAlarm: 3 });
    await watched.breach();
    const seen: object[] = [];

    for (let minute = 1; minute <= 9; minute++) {
      await target.pass(minutes(1));
      if (minute % 4 !== 2) await watched.putBreach();
      seen.push(await watched.states());
    }

    const all = { missing: 'ALARM', ignore: 'ALARM', breaching: 'ALARM', notBreaching: 'ALARM' };
    expect(seen).toEqual(Array.from({ length: 9 }, () => all));
  },
);

// Naive: an alarm starts in OK, and says so before it has seen anything.
contract('[rule 13] an alarm has insufficient data before there is any', { minutes: 3 }, async (target) => {
  const watched = await Watched.create(target, { evaluated: 3, toAlarm: 3 });
  expect(new Set(Object.values(await watched.states()))).toEqual(new Set(['INSUFFICIENT_DATA']));

  await watched.becomes('breaching', 'ALARM');
  await watched.becomes('notBreaching', 'OK');

  expect(await watched.states()).toMatchObject({ missing: 'INSUFFICIENT_DATA', ignore: 'INSUFFICIENT_DATA' });
});
