import type { Operations } from '../../../account/service.ts';
import type { DescribeScalingActivitiesType } from '../api.ts';
import type { Activity } from '../model.ts';
import { page } from '../paging.ts';
import { activityShape } from '../responses.ts';
import type { Scaler } from '../state.ts';
import { read } from './permissions.ts';

/** DescribeScalingActivities: those under way first, then the newest first. */
export const activityOperations = (scaler: Scaler): Operations => ({
  DescribeScalingActivities: read('DescribeScalingActivities', (input: DescribeScalingActivitiesType) => {
    const { items, ...next } = page(select(scaler, input), halved(input), { standard: 50, most: 50 });
    return { Activities: items.map(activityShape), ...next };
  }),
});

/** A page may be partly full although more follow: here it always is, so only a missing token ends the list. */
const halved = ({ MaxRecords, NextToken }: DescribeScalingActivitiesType) => ({
  NextToken,
  MaxRecords: MaxRecords === undefined ? undefined : Math.ceil(MaxRecords / 2),
});

function select(scaler: Scaler, input: DescribeScalingActivitiesType): Activity[] {
  const groups =
    input.AutoScalingGroupName === undefined ? [...scaler.groups.values()] : [scaler.group(input.AutoScalingGroupName)];
  const ids = new Set(input.ActivityIds ?? []);
  const underWay: Activity[] = [];
  const ended: Activity[] = [];
  for (const { activities } of groups)
    for (let index = activities.length - 1; index >= 0; index--) {
      const activity = activities[index]!;
      if (ids.size === 0 || ids.has(activity.id)) (activity.endTime === undefined ? underWay : ended).push(activity);
    }
  if (groups.length > 1) for (const list of [underWay, ended]) list.sort((a, b) => b.startTime - a.startTime);
  return [...underWay, ...ended];
}
