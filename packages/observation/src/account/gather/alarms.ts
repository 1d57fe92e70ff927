import { DescribeAlarmHistoryCommand, type MetricAlarm } from '@aws-sdk/client-cloudwatch';
import { describeAlarms } from '@drover/operator/doctor/alarm-facts';
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

const mostChanges = 500;

/** The alarms of the stacks, and when each changed. */
export function alarmReadings(aws: OperatorClients, names: readonly string[], since: number) {
  /** Up to when the history of each is known. */
  const knownUpTo = new Map<string, number>();
  let changes: readonly AlarmChange[] = [];
  let alarms: readonly MetricAlarm[] = [];

  async function read(): Promise<void> {
    alarms = await describeAlarms(aws.cloudwatch, names);
    for (const alarm of alarms) {
      const known = knownUpTo.get(alarm.AlarmName!) ?? since;
      if (changedAt(alarm) > known) await readHistory(alarm.AlarmName!, known);
    }
  }

  /** Asked only when an alarm has changed since: between two looks it may have changed more than once. */
  async function readHistory(alarm: string, after: number): Promise<void> {
    const { AlarmHistoryItems = [] } = await aws.cloudwatch.send(
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
    changes = [...changes, ...found].sort((a, b) => a.at - b.at).slice(-mostChanges);
    knownUpTo.set(alarm, Math.max(after, ...AlarmHistoryItems.map(({ Timestamp }) => Timestamp!.getTime())));
  }

  const sources: readonly Source[] = [{ what: 'alarms', everyMs: 15_000, read }];
  return {
    sources,
    /** Oldest first. */
    changes: () => changes,
    states: (scaling: readonly string[]): AlarmState[] =>
      alarms.map((alarm) => ({
        name: alarm.AlarmName ?? '',
        state: alarm.StateValue as AlarmState['state'],
        since: changedAt(alarm),
        meaning: alarm.AlarmDescription ?? '',
        scaling: scaling.includes(alarm.AlarmName ?? ''),
      })),
  };
}

const changedAt = ({ StateTransitionedTimestamp, StateUpdatedTimestamp }: MetricAlarm): number =>
  (StateTransitionedTimestamp ?? StateUpdatedTimestamp)?.getTime() ?? 0;
