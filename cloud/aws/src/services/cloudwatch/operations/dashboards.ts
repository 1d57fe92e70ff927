import type {
  DeleteDashboardsCommandInput,
  GetDashboardCommandInput,
  ListDashboardsCommandInput,
  PutDashboardCommandInput,
} from '@aws-sdk/client-cloudwatch';
import { type ArnScope, globalArn } from '../../../account/arn.ts';
import { AwsError } from '../../../account/errors.ts';
import { pageOf } from '../../../account/paging.ts';
import type { Operations } from '../../../account/service.ts';
import { invalidValue } from '../model.ts';

export interface Dashboard {
  readonly name: string;
  readonly body: string;
  readonly modifiedAt: number;
}

const dashboardArn = (scope: ArnScope, name: string | undefined) => globalArn(scope, 'cloudwatch', `dashboard/${name}`);
const notFound = (name: string | undefined) =>
  new AwsError('ResourceNotFound', `Dashboard ${name} does not exist`, 404);

/** Dashboards are kept, not drawn. */
export const dashboardOperations = (
  scope: ArnScope,
  dashboards: Map<string, Dashboard>,
  now: () => number,
): Operations => {
  const ask = (action: string) => (input: { DashboardName?: string | undefined }) => [
    { action: `cloudwatch:${action}`, resource: dashboardArn(scope, input.DashboardName) },
  ];
  return {
    PutDashboard: {
      permissions: ask('PutDashboard'),
      run: (input: PutDashboardCommandInput) => {
        putDashboard(dashboards, input.DashboardName ?? '', input.DashboardBody ?? '', now());
        return { DashboardValidationMessages: [] };
      },
    },
    GetDashboard: {
      permissions: ask('GetDashboard'),
      run: (input: GetDashboardCommandInput) => {
        const found = dashboards.get(input.DashboardName ?? '');
        if (found === undefined) throw notFound(input.DashboardName);
        return { DashboardArn: dashboardArn(scope, found.name), DashboardBody: found.body, DashboardName: found.name };
      },
    },
    ListDashboards: {
      permissions: () => [{ action: 'cloudwatch:ListDashboards', resource: '*' }],
      run: (input: ListDashboardsCommandInput) => {
        const all = [...dashboards.values()].filter(({ name }) => name.startsWith(input.DashboardNamePrefix ?? ''));
        const page = pageOf(all, input.NextToken, 100, () => invalidValue('Invalid NextToken'));
        const DashboardEntries = page.items.map(({ name, body, modifiedAt }) => ({
          DashboardName: name,
          DashboardArn: dashboardArn(scope, name),
          LastModified: new Date(modifiedAt),
          Size: body.length,
        }));
        return { DashboardEntries, ...(page.nextToken === undefined ? {} : { NextToken: page.nextToken }) };
      },
    },
    DeleteDashboards: {
      permissions: (input: DeleteDashboardsCommandInput) =>
        (input.DashboardNames ?? []).map((name) => ({
          action: 'cloudwatch:DeleteDashboards',
          resource: dashboardArn(scope, name),
        })),
      run: (input: DeleteDashboardsCommandInput) => {
        const missing = (input.DashboardNames ?? []).find((name) => !dashboards.has(name));
        if (missing !== undefined) throw notFound(missing);
        for (const name of input.DashboardNames ?? []) dashboards.delete(name);
        return {};
      },
    },
  };
};

/** Stores a dashboard whose body must be JSON with widgets. */
export function putDashboard(dashboards: Map<string, Dashboard>, name: string, body: string, now: number): void {
  if (!/^[\w-]{1,255}$/.test(name)) throw invalidValue(`The dashboard name ${name} is not valid`);
  try {
    const parsed = JSON.parse(body) as { widgets?: unknown };
    if (!Array.isArray(parsed.widgets)) throw new Error('widgets is missing');
  } catch (error) {
    throw new AwsError('InvalidParameterInput', `The dashboard body is invalid: ${(error as Error).message}`);
  }
  dashboards.set(name, { name, body, modifiedAt: now });
}
