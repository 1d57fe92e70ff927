import type { Operations } from '../../../account/service.ts';
import type { StartInstanceRefreshType } from '../api.ts';
import { refuseWhileDeleting } from '../groups/groups.ts';
import type { Group, Refresh } from '../model.ts';
import { page } from '../paging.ts';
import { cancelRefresh, refreshProgress, startRefresh } from '../refresh/refresh.ts';
import type { Scaler } from '../state.ts';
import { change, read } from './permissions.ts';

interface CancelInput {
  readonly AutoScalingGroupName: string | undefined;
  readonly WaitForTransitioningInstances?: boolean;
}

interface DescribeInput {
  readonly AutoScalingGroupName: string | undefined;
  readonly InstanceRefreshIds?: readonly string[];
  readonly NextToken?: string;
  readonly MaxRecords?: number;
}

/** Instance refreshes. */
export const refreshOperations = (scaler: Scaler): Operations => ({
  StartInstanceRefresh: change(scaler, 'StartInstanceRefresh', (group, input: StartInstanceRefreshType) => {
    refuseWhileDeleting(group);
    return { InstanceRefreshId: startRefresh(scaler, group, input).id };
  }),
  CancelInstanceRefresh: change(scaler, 'CancelInstanceRefresh', (group, input: CancelInput) => ({
    InstanceRefreshId: cancelRefresh(scaler, group, input.WaitForTransitioningInstances ?? true).id,
  })),
  DescribeInstanceRefreshes: read('DescribeInstanceRefreshes', (input: DescribeInput) => {
    const group = scaler.group(input.AutoScalingGroupName);
    const ids = input.InstanceRefreshIds ?? [];
    const newestFirst = [...group.refreshes].reverse().filter(({ id }) => ids.length === 0 || ids.includes(id));
    const { items, ...next } = page(newestFirst, input, { standard: 50, most: 100 });
    return { InstanceRefreshes: items.map((refresh) => shape(scaler, group, refresh)), ...next };
  }),
});

function shape(scaler: Scaler, group: Group, refresh: Refresh) {
  const { percentage, left } = refresh.progress ?? refreshProgress(scaler, group, refresh);
  return {
    InstanceRefreshId: refresh.id,
    AutoScalingGroupName: group.name,
    Status: refresh.status,
    ...(refresh.statusReason === undefined ? {} : { StatusReason: refresh.statusReason }),
    StartTime: new Date(refresh.startTime),
    ...(refresh.endTime === undefined ? {} : { EndTime: new Date(refresh.endTime) }),
    PercentageComplete: percentage,
    InstancesToUpdate: left,
    Preferences: refresh.preferences,
    Strategy: 'Rolling',
  };
}
