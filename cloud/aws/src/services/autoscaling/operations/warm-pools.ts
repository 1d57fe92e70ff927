import type { Operations } from '../../../account/service.ts';
import type { PutWarmPoolType } from '../api.ts';
import { isInPool } from '../lifecycle-states.ts';
import { page } from '../paging.ts';
import { memberShape, warmPoolShape } from '../responses.ts';
import type { Scaler } from '../state.ts';
import { deleteWarmPool, putWarmPool } from '../warm-pool/warm-pool-settings.ts';
import { change, read } from './permissions.ts';

interface NamedInput {
  readonly AutoScalingGroupName: string | undefined;
}

/** Warm pools. */
export const warmPoolOperations = (scaler: Scaler): Operations => ({
  PutWarmPool: change(scaler, 'PutWarmPool', (group, input: PutWarmPoolType) => {
    putWarmPool(scaler, group, input);
  }),
  DeleteWarmPool: change(scaler, 'DeleteWarmPool', (group, input: NamedInput & { readonly ForceDelete?: boolean }) => {
    deleteWarmPool(scaler, group, input.ForceDelete ?? false);
  }),
  DescribeWarmPool: read(
    'DescribeWarmPool',
    (input: NamedInput & { readonly MaxRecords?: number; readonly NextToken?: string }) => {
      const group = scaler.group(input.AutoScalingGroupName);
      const configuration = warmPoolShape(group);
      const members = [...group.members.values()].filter((member) => isInPool(member.state));
      const { items, ...next } = page(members, input, { standard: 50, most: 50 });
      return {
        ...(configuration === undefined ? {} : { WarmPoolConfiguration: configuration }),
        Instances: items.map(memberShape),
        ...next,
      };
    },
  ),
});
