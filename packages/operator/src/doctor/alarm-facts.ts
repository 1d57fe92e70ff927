import { type CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';

/** An alarm of a stack that exists. */
export interface AlarmFacts {
  readonly name: string;
  readonly on: boolean;
}

/** Those of these alarms that exist, and whether they are on. A stack has fewer than the 100 names that one call takes. */
export async function readAlarms(client: CloudWatchClient, names: readonly string[]): Promise<AlarmFacts[]> {
  const found: AlarmFacts[] = [];
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client }, { AlarmNames: [...names] }))
    found.push(
      ...MetricAlarms.map(({ AlarmName = '', StateValue }) => ({ name: AlarmName, on: StateValue === 'ALARM' })),
    );
  return found;
}
