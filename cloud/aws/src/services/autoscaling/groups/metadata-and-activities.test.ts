import {
  DescribeScalingActivitiesCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { describe, expect, it } from 'vitest';
import { minuteMs, Stage } from '../stage.test-support.ts';

describe('the state of an instance, by metadata and activities', () => {
  it('[rule 9] a describe call may show the past when a fault says so', async () => {
    const stage = new Stage();
    await stage.group();
    await stage.untilStates(['InService']);
    await stage.pass(minuteMs);
    const instance = await stage.only();
    const terminate = { InstanceId: instance, ShouldDecrementDesiredCapacity: true };
    await stage.autoscaling.send(new TerminateInstanceInAutoScalingGroupCommand(terminate));
    expect(await stage.stateOf(instance)).toBe('Terminating');

    const lag = { service: 'autoscaling', operation: /Describe.*/, effect: { kind: 'delayed', ms: 10_000 } } as const;
    stage.fault({ ...lag, times: 2 });
    expect(await stage.stateOf(instance)).toBe('InService');
    expect(await stage.states()).toEqual(['InService']);
    expect(await stage.stateOf(instance)).toBe('Terminating');
  });
});

describe('scaling activities', () => {
  it('scaling activities are listed newest first, those under way before all others, in pages', async () => {
    const stage = new Stage();
    await stage.group({ DesiredCapacity: 3 });
    await stage.untilStates(Array(3).fill('InService'));

    const seen: string[] = [];
    let NextToken: string | undefined;
    do {
      const request = { AutoScalingGroupName: 'group', MaxRecords: 2, NextToken };
      const page = await stage.autoscaling.send(new DescribeScalingActivitiesCommand(request));
      seen.push(...page.Activities!.map((activity) => activity.ActivityId!));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);

    expect(new Set(seen).size).toBe(3);
    await expect(
      stage.autoscaling.send(new DescribeScalingActivitiesCommand({ NextToken: 'nonsense' })),
    ).rejects.toMatchObject({ name: 'InvalidNextToken' });
  });

  it('show failed launches, which are tried again later and later', async () => {
    const stage = new Stage();
    stage.fault({ service: 'autoscaling', operation: 'Launch', times: 4, effect: { kind: 'error' } });
    await stage.group({ AvailabilityZones: ['eu-west-1a'] });
    await stage.untilStates(['InService']);

    const failed = (await stage.activities()).filter((activity) => activity.StatusCode === 'Failed').reverse();
    const starts = failed.map((activity) => activity.StartTime!.getTime());
    const gaps = starts.slice(1).map((start, index) => start - starts[index]!);
    expect(failed).toHaveLength(4);
    expect(failed[0]!.StatusMessage).toContain('Launching EC2 instance failed');
    expect(gaps).toEqual([15_000, 30_000, 60_000]);
  });
});
