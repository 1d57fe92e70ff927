import { isTimeZone, parseCron } from '@drover/core/cron';
import { type IdleTargetSchedule, environment as keys } from '@drover/core/names/runner-fleet';
import { type Environment, type Kind, reader } from './function-config.ts';

/** Configuration for the functions that decide how many runners there are; separate, because of the cron engine. */
export interface ScalingConfig {
  /** How many idle runners to keep, and the most that one decision adds while none is idle. */
  readonly idleTarget: number;
  readonly idleTargetSchedules: readonly IdleTargetSchedule[];
  readonly scaleUpLimit: number;
}

export function readScalingConfig(environment: Environment): ScalingConfig {
  const { required, optional } = reader(environment);
  return {
    idleTarget: required(keys.idleTarget, runnerCount(0)),
    idleTargetSchedules: optional(keys.idleTargetSchedules, jsonList('schedules', isSchedule)) ?? [],
    scaleUpLimit: required(keys.scaleUpLimit, runnerCount(1)),
  };
}

const runnerCount = (least: number): Kind<number> => ({
  expected: `a number of runners from ${least} to 1000`,
  parse: (value) =>
    /^\d{1,4}$/.test(value) && Number(value) >= least && Number(value) <= 1000 ? Number(value) : undefined,
});

/** A JSON list whose items are what they should be. */
export const jsonList = <Item>(items: string, isOne: (item: Item) => boolean): Kind<readonly Item[]> => ({
  expected: `a JSON list of ${items}`,
  parse(value) {
    try {
      const list = JSON.parse(value) as readonly Item[];
      return Array.isArray(list) && list.every(isOne) ? list : undefined;
    } catch {
      return undefined;
    }
  },
});

const isSchedule = ({ cron, timeZone, idleRunnersTargetCount }: IdleTargetSchedule) =>
  parseCron(cron) !== undefined && isTimeZone(timeZone) && Number.isInteger(idleRunnersTargetCount);
