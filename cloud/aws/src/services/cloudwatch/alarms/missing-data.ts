import type { Points } from '../math/evaluate.ts';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
export type MissingData = 'missing' | 'ignore' | 'breaching' | 'notBreaching';

/** How an alarm judges its datapoints. */
export interface AlarmRule {
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly treatMissingData: MissingData;
  breaches(value: number): boolean;
}

/**
 * More datapoints are looked at than the evaluation periods ask for, so that late data counts. The documentation's
 * example takes five for three; the exact number is not published.
 */
export const evaluationRange = (evaluationPeriods: number): number => evaluationPeriods + 2;

/**
 * The state that the datapoints of the evaluation range (oldest first) put an alarm into. (CloudWatch User Guide,
 * "Configuring how CloudWatch alarms treat missing data", with its two tables.)
 */
export function judge(points: Points, rule: AlarmRule, current: AlarmState): AlarmState {
  const present = points.filter((point) => point !== undefined);
  const { evaluationPeriods, datapointsToAlarm: needed } = rule;
  const evaluated = present.slice(-evaluationPeriods);
  const breaching = evaluated.filter((point) => rule.breaches(point)).length;
  // Enough real data: how missing data is treated does not matter.
  if (breaching >= needed) return 'ALARM';
  if (evaluated.length >= evaluationPeriods) return 'OK';
  const filled = evaluationPeriods - evaluated.length;
  if (rule.treatMissingData === 'breaching') return breaching + filled >= needed ? 'ALARM' : 'OK';
  if (rule.treatMissingData === 'notBreaching' || breaching < evaluated.length) return 'OK';
  return judgeWithoutFilling(points, rule, current);
}

/**
 * Nothing but breaching and missing datapoints is left, too few to be sure. When the oldest breaching one is at least as
 * old as the datapoints to alarm, the alarm goes off all the same. (The same page, "Avoiding premature transitions".)
 */
function judgeWithoutFilling(points: Points, rule: AlarmRule, current: AlarmState): AlarmState {
  if (rule.treatMissingData === 'ignore') return current;
  const oldest = points.findIndex((point) => point !== undefined);
  const oldEnough = oldest >= 0 && points.length - oldest >= rule.datapointsToAlarm;
  return oldEnough ? 'ALARM' : 'INSUFFICIENT_DATA';
}
