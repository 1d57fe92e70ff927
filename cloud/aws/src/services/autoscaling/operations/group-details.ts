import type { Operations } from '../../../account/service.ts';
import type { Filter } from '../api.ts';
import { validationError } from '../errors.ts';
import type { ProcessName } from '../model.ts';
import { page } from '../paging.ts';
import { tagShapes } from '../responses.ts';
import type { Scaler } from '../state.ts';
import { change, read } from './permissions.ts';

interface Named {
  readonly AutoScalingGroupName: string | undefined;
}
type ProcessesInput = Named & { readonly ScalingProcesses?: readonly string[] };

const processNames: readonly ProcessName[] = [
  'Launch',
  'Terminate',
  'AddToLoadBalancer',
  'AlarmNotification',
  'AZRebalance',
  'HealthCheck',
  'InstanceRefresh',
  'ReplaceUnhealthy',
  'ScheduledActions',
];

/** Suspended processes and tags. */
export const groupDetailOperations = (scaler: Scaler): Operations => ({
  SuspendProcesses: change(scaler, 'SuspendProcesses', (group, input: ProcessesInput) => {
    for (const name of processesOf(input))
      group.suspended.set(name, `User suspended at ${new Date(scaler.now).toISOString().slice(0, 19)}Z`);
    return {};
  }),
  DescribeTags: read(
    'DescribeTags',
    (input: { readonly Filters?: readonly Filter[]; readonly NextToken?: string; readonly MaxRecords?: number }) => {
      const all = [...scaler.groups.values()].flatMap(tagShapes);
      const tags = all.filter((tag) => (input.Filters ?? []).every((filter) => matches(tag, filter)));
      const { items, ...next } = page(tags, input, { standard: 50, most: 100 });
      return { Tags: items, ...next };
    },
  ),
});

/** All processes when none is named. */
function processesOf(input: ProcessesInput): readonly ProcessName[] {
  const names = input.ScalingProcesses ?? [];
  const unknown = names.find((name) => !(processNames as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw validationError(`Scaling process name ${unknown} is not valid. Valid names are: ${processNames.join(', ')}`);
  return names.length === 0 ? processNames : (names as readonly ProcessName[]);
}

function matches(tag: ReturnType<typeof tagShapes>[number], filter: Filter): boolean {
  const values = filter.Values ?? [];
  switch (filter.Name) {
    case 'auto-scaling-group':
      return values.includes(tag.ResourceId);
    case 'key':
      return values.includes(tag.Key);
    case 'value':
      return values.includes(tag.Value);
    case 'propagate-at-launch':
      return values.includes(String(tag.PropagateAtLaunch));
    default:
      throw validationError(`Filter type ${filter.Name} is not correct`);
  }
}
