import type {
  DescribeMetricFiltersCommandInput,
  PutMetricFilterCommandInput,
  PutResourcePolicyCommandInput,
} from '@aws-sdk/client-cloudwatch-logs';
import { pageOf } from '../../../account/paging.ts';
import type { Operations } from '../../../account/service.ts';
import { invalidParameter, type LogGroup, type MetricFilter, notFound } from '../model.ts';
import { compileFilter, type LogGroups } from '../state.ts';
import { badToken, next, onGroup } from './groups.ts';

/** Metric filters. */
export const filterOperations = (groups: LogGroups): Operations => ({
  PutMetricFilter: {
    permissions: (input: PutMetricFilterCommandInput) => [onGroup(groups, 'PutMetricFilter', input.logGroupName)],
    run: (input: PutMetricFilterCommandInput) => {
      putFilter(groups, groups.get(input.logGroupName), input);
      return {};
    },
  },
  DeleteMetricFilter: {
    permissions: (input: PutMetricFilterCommandInput) => [onGroup(groups, 'DeleteMetricFilter', input.logGroupName)],
    run: (input: PutMetricFilterCommandInput) => {
      if (!groups.get(input.logGroupName).filters.delete(input.filterName ?? '')) throw notFound('metric filter');
      return {};
    },
  },
  DescribeMetricFilters: {
    permissions: (input: DescribeMetricFiltersCommandInput) => [
      onGroup(groups, 'DescribeMetricFilters', input.logGroupName),
    ],
    run: (input: DescribeMetricFiltersCommandInput) => {
      const searched = input.logGroupName === undefined ? [...groups.all.values()] : [groups.get(input.logGroupName)];
      const all = searched.flatMap((group) =>
        [...group.filters.values()]
          .filter(({ name }) => name.startsWith(input.filterNamePrefix ?? ''))
          .map((filter) => describeFilter(group, filter)),
      );
      const page = pageOf(all, input.nextToken, input.limit ?? 50, badToken);
      return { metricFilters: page.items, ...next(page.nextToken) };
    },
  },
});

/** Adds a metric filter, or replaces the one with its name. */
export function putFilter(groups: LogGroups, group: LogGroup, input: PutMetricFilterCommandInput): void {
  const { filterName = '', filterPattern = '', metricTransformations = [] } = input;
  for (const { defaultValue, dimensions } of metricTransformations)
    if (defaultValue !== undefined && Object.keys(dimensions ?? {}).length > 0)
      throw invalidParameter('Invalid metric transformation: default value is invalid with dimensions.');
  group.filters.set(filterName, {
    name: filterName,
    pattern: filterPattern,
    matches: compileFilter(filterPattern),
    createdAt: groups.now,
    transformations: metricTransformations as never,
  });
}

const describeFilter = (group: LogGroup, filter: MetricFilter) => ({
  filterName: filter.name,
  filterPattern: filter.pattern,
  logGroupName: group.name,
  creationTime: filter.createdAt,
  metricTransformations: filter.transformations,
});

/** Policies by which services may write into any group of the account. */
export const policyOperations = (policies: Map<string, string>, now: () => number, changed: () => void): Operations => {
  const ask = (action: string) => () => [{ action: `logs:${action}`, resource: '*' }];
  return {
    PutResourcePolicy: {
      permissions: ask('PutResourcePolicy'),
      run: (input: PutResourcePolicyCommandInput) => {
        policies.set(input.policyName ?? '', input.policyDocument ?? '');
        changed();
        const { policyName, policyDocument } = input;
        return { resourcePolicy: { policyName, policyDocument, lastUpdatedTime: now() } };
      },
    },
    DeleteResourcePolicy: {
      permissions: ask('DeleteResourcePolicy'),
      run: (input: PutResourcePolicyCommandInput) => {
        if (!policies.delete(input.policyName ?? '')) throw notFound('resource policy');
        changed();
        return {};
      },
    },
    DescribeResourcePolicies: {
      permissions: ask('DescribeResourcePolicies'),
      run: () => ({
        resourcePolicies: [...policies].map(([policyName, policyDocument]) => ({ policyName, policyDocument })),
      }),
    },
  };
};
