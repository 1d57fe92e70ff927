import { type CloudWatchClient, type MetricAlarm, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';

/** An alarm of a stack that exists. */
export interface AlarmFacts {
  readonly name: string;
  readonly on: boolean;
}

/** Those of these alarms that exist, and whether they are on. */
export const readAlarms = async (client: CloudWatchClient, names: readonly string[]): Promise<AlarmFacts[]> =>
  (await describeAlarms(client, names)).map(({ AlarmName = '', StateValue }) => ({
    name: AlarmName,
    on: StateValue === 'ALARM',
  }));

/** DescribeAlarms takes at most 100 names, and has pages of as many. */
const namesPerCall = 100;

export async function describeAlarms(client: CloudWatchClient, names: readonly string[]): Promise<MetricAlarm[]> {
  const found: MetricAlarm[] = [];
  for (let from = 0; from < names.length; from += namesPerCall) {
    const input = { AlarmNames: names.slice(from, from + namesPerCall), MaxRecords: namesPerCall };
    for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client }, input)) found.push(...MetricAlarms);
  }
  return found;
}
