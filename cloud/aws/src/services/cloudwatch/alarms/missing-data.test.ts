import { describe, expect, it } from 'vitest';
import { type AlarmState, judge, type MissingData } from './missing-data.ts';

/** `0` is within the threshold, `X` breaches it, `-` is missing; oldest first, as in the documentation's tables. */
const points = (text: string) => text.split(' ').map((each) => ({ '0': 0, X: 1 })[each]);

const judged = (text: string, datapointsToAlarm: number, treatMissingData: MissingData, current: AlarmState = 'OK') =>
  judge(
    points(text),
    { evaluationPeriods: 3, datapointsToAlarm, treatMissingData, breaches: (value) => value > 0 },
    current,
  );

const keeps = 'retain current state';

type Row = [points: string, missing: AlarmState, ignore: string, breaching: AlarmState, notBreaching: AlarmState];

const threeOfThree: Row[] = [
  ['0 - X - X', 'OK', 'OK', 'OK', 'OK'],
  ['0 - - - -', 'OK', 'OK', 'OK', 'OK'],
  ['- - - - -', 'INSUFFICIENT_DATA', keeps, 'ALARM', 'OK'],
  ['0 X X - X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['- - - - X', 'INSUFFICIENT_DATA', keeps, 'ALARM', 'OK'],
  ['X - - - -', 'ALARM', keeps, 'ALARM', 'OK'],
];
const twoOfThree: Row[] = [
  ['0 - X - X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['0 0 X 0 X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['0 - X - -', 'OK', 'OK', 'ALARM', 'OK'],
  ['- - - - 0', 'OK', 'OK', 'ALARM', 'OK'],
  ['- - - - X', 'INSUFFICIENT_DATA', keeps, 'ALARM', 'OK'],
];

describe.each([
  { needed: 3, rows: threeOfThree },
  { needed: 2, rows: twoOfThree },
])('an alarm with $needed out of 3 datapoints', ({ needed, rows }) => {
  it.each(rows)('[rule 13] judges %s as the documentation does', (text, missing, ignore, breaching, notBreaching) => {
    expect(judged(text, needed, 'missing')).toBe(missing);
    expect(judged(text, needed, 'breaching')).toBe(breaching);
    expect(judged(text, needed, 'notBreaching')).toBe(notBreaching);
    for (const current of ['OK', 'ALARM', 'INSUFFICIENT_DATA'] as const)
      expect(judged(text, needed, 'ignore', current)).toBe(ignore === keeps ? current : ignore);
  });
});
