import { DescribeAlarmHistoryCommand, DescribeAlarmsCommand, type MetricAlarm } from '@aws-sdk/client-cloudwatch';
import type { OperatorClients } from '@drover/operator/io';
import type { AlarmState } from '../../api.ts';
import type { Source } from '../rota.ts';

/** An alarm went from one state to another. */
export interface AlarmChange {
  readonly alarm: string;
  readonly at: number;
  readonly from: string;
  readonly to: string;
}

const namesPerCall = 100;
const mostChanges = 500;

/** The alarms of the stacks, and when each changed. */
export class AlarmReadings {
  readonly #aws: OperatorClients;
  readonly #names: readonly string[];
  readonly #since: number;
  /** Up to when the history of each is known. */
  readonly #knownUpTo = new Map<string, number>();
  #changes: readonly AlarmChange[] = [];
  #alarms: readonly MetricAlarm[] = [];

  constructor(aws: OperatorClients, names: readonly string[], since: number) {
    this.#aws = aws;
    this.#names = names;
    this.#since = since;
  }

  get sources(): readonly Source[] {
    return [{ what: 'alarms', everyMs: 15_000, read: () => this.#read() }];
  }

  /** Oldest first. */
  get changes(): readonly AlarmChange[] {
    return this.#changes;
  }

  states(scaling: readonly string[]): AlarmState[] {
    return this.#alarms.map((alarm) => ({
      name: alarm.AlarmName ?? '',
      state: alarm.StateValue as AlarmState['state'],
      since: changedAt(alarm),
      meaning: alarm.AlarmDescription ?? '',
      scaling: scaling.includes(alarm.AlarmName ?? ''),
    }));
  }

  async #read(): Promise<void> {
    const alarms: MetricAlarm[] = [];
    for (let from = 0; from < this.#names.length; from += namesPerCall) {
      const input = { AlarmNames: this.#names.slice(from, from + namesPerCall), MaxRecords: namesPerCall };
      const { MetricAlarms = [] } = await this.#aws.cloudwatch.send(new DescribeAlarmsCommand(input));
      alarms.push(...MetricAlarms);
    }
    this.#alarms = alarms;
    for (const alarm of alarms) {
      const known = this.#knownUpTo.get(alarm.AlarmName!) ?? this.#since;
      if (changedAt(alarm) > known) await this.#readHistory(alarm.AlarmName!, known);
    }
  }

  /** Asked only when an alarm has changed since: between two looks it may have changed more than once. */
  async #readHistory(alarm: string, after: number): Promise<void> {
    const { AlarmHistoryItems = [] } = await this.#aws.cloudwatch.send(
      new DescribeAlarmHistoryCommand({
        AlarmName: alarm,
        HistoryItemType: 'StateUpdate',
        StartDate: new Date(after + 1),
        ScanBy: 'TimestampDescending',
      }),
    );
    const found = AlarmHistoryItems.flatMap(({ Timestamp, HistorySummary = '' }) => {
      const [, from, to] = /from (\w+) to (\w+)/.exec(HistorySummary) ?? [];
      return to === undefined ? [] : [{ alarm, at: Timestamp!.getTime(), from: from!, to }];
    });
    this.#changes = [...this.#changes, ...found].sort((a, b) => a.at - b.at).slice(-mostChanges);
    this.#knownUpTo.set(alarm, Math.max(after, ...AlarmHistoryItems.map(({ Timestamp }) => Timestamp!.getTime())));
  }
}

const changedAt = ({ StateTransitionedTimestamp, StateUpdatedTimestamp }: MetricAlarm): number =>
  (StateTransitionedTimestamp ?? StateUpdatedTimestamp)?.getTime() ?? 0;
