import { type Activity, AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { type DescribeInstanceInformationRequest, SSMClient } from '@aws-sdk/client-ssm';
import { remoteAgents } from '@drover/adapters/aws';
import { describe, expect, it } from 'vitest';
import { terminationBegan } from '../src/cluster/doctor/facts.ts';
import type { OpenCluster } from '../src/cluster/open-cluster.ts';
import { readAlarms } from '../src/doctor/alarm-facts.ts';
import { readGroup } from '../src/doctor/group-facts.ts';
import { failuresIn } from '../src/fleet/doctor/facts.ts';
import { lookBackMs } from '../src/fleet/doctor/look-back.ts';
import type { OpenFleet } from '../src/fleet/open-fleet.ts';
import { activitiesOf } from '../src/fleet/why/moments.ts';
import { operatorSsm } from '../src/operator-ssm.ts';

// biome-ignore lint/suspicious/noExplicitAny: the input of any command
type Respond = (input: any) => object;

/** A client of the SDK that returns what the test says. */
const scripted = (Client: { readonly prototype: object }, respond: Respond) =>
  Object.assign(Object.create(Client.prototype), {
    send: async (command: { readonly input: unknown }) => respond(command.input),
  });

const now = 1_000_000_000;

/** The first page is empty, the second one has the activity. */
function activities(activity: Activity): OpenFleet & OpenCluster {
  const autoscaling = scripted(AutoScalingClient, ({ NextToken }) =>
    NextToken === 'more' ? { Activities: [activity] } : { Activities: [], NextToken: 'more' },
  );
  return { aws: { autoscaling }, groupName: 'runners' } as unknown as OpenFleet & OpenCluster;
}

describe('reading all pages', () => {
  it('drover fleet doctor asks for 120 agents in searches of at most 100 ids and reads pages of at most 50', async () => {
    const ids = Array.from({ length: 120 }, (_, index) => `i-${index}`);
    const asked: number[] = [];
    const ssm = scripted(
      SSMClient,
      ({ Filters, MaxResults = 10, NextToken = '0' }: DescribeInstanceInformationRequest) => {
        const wanted = Filters?.[0]?.Values ?? [];
        asked.push(wanted.length);
        const end = Number(NextToken) + MaxResults;
        const page = wanted.slice(Number(NextToken), end).map((InstanceId) => ({ InstanceId, PingStatus: 'Online' }));
        return { InstanceInformationList: page, ...(end < wanted.length ? { NextToken: String(end) } : {}) };
      },
    );

    const agents = await remoteAgents(operatorSsm({ ssm }), ids);

    expect([...agents.keys()]).toEqual(ids);
    expect(asked).toEqual([100, 100, 20]);
  });

  it('drover fleet doctor finds an error of a function behind an empty page of its log', async () => {
    const line = '2026-11-15T08:00:00Z\tid\tINFO\t{"level":"error","message":"it failed"}';
    const other = line.replace('"level":"error"', '"level":"warn","error":"none"');
    const messages = [line, other].map((message) => ({ timestamp: now, message }));
    const logs = scripted(CloudWatchLogsClient, ({ nextToken }) =>
      nextToken === undefined ? { events: [], nextToken: 'more' } : { events: messages },
    );

    const failures = await failuresIn({ logs } as unknown as OpenFleet['aws'], 'group', now);

    expect(failures).toMatchObject([{ at: now, text: line }]);
  });

  it('drover fleet doctor finds an abandoned launch behind an empty page of activities', async () => {
    const StatusMessage = 'Instance failed to complete the lifecycle action: abandoned';
    const abandoned = {
      Description: 'Launching a new EC2 instance: i-1',
      StatusCode: 'Failed',
      StatusMessage,
    } as const;
    const fleet = activities({ ...abandoned, StartTime: new Date(now - lookBackMs) } as Activity);

    expect((await readGroup(fleet.aws.autoscaling, 'runners', now)).failedLaunches).toHaveLength(1);
  });

  it('drover fleet why finds an activity behind an empty page of activities', async () => {
    const fleet = activities({ Description: 'Terminating EC2 instance: i-1', StartTime: new Date(now) } as Activity);

    const ports = { group: { read: async () => ({}) }, groups: { names: ['runners'] } };

    expect(await activitiesOf({ ...fleet, ports } as unknown as OpenFleet, 'i-1')).toMatchObject([{ at: now }]);
  });

  it('drover cluster doctor finds when a termination began behind an empty page of activities', async () => {
    const cluster = activities({ Description: 'Terminating EC2 instance: i-1', StartTime: new Date(now) } as Activity);

    expect(await terminationBegan(cluster, { groupName: 'masters', instanceId: 'i-1' })).toBe(now);
  });

  it('drover fleet status and doctor see an alarm that is on behind a page of others', async () => {
    const cloudwatch = scripted(CloudWatchClient, ({ NextToken }) =>
      NextToken === undefined
        ? { MetricAlarms: [{ AlarmName: 'another', StateValue: 'OK' }], NextToken: 'more' }
        : { MetricAlarms: [{ AlarmName: 'throttles-runners_registration', StateValue: 'ALARM' }] },
    );

    expect(await readAlarms(cloudwatch, ['another', 'throttles-runners_registration'])).toEqual([
      { name: 'another', on: false },
      { name: 'throttles-runners_registration', on: true },
    ]);
  });
});
