import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { alarmName, hooks, metricNamespace, metrics } from '@drover/core/names/search-cluster';
import { beforeAll, describe, expect, it } from 'vitest';
import { ClusterStage } from './cluster-stage.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The stories build on each other: one cluster, and what its alarms say. */
describe('alarms of a deployed cluster', () => {
  let stage: ClusterStage;
  const alarmsOn = async () => {
    const { MetricAlarms } = await stage.drive(stage.aws.cloudwatch.send(new DescribeAlarmsCommand({})));
    return MetricAlarms!.filter(({ StateValue }) => StateValue === 'ALARM').map(({ AlarmName }) => AlarmName);
  };
  const valuesOf = async (MetricName: string, Statistic: string, forMs: number) => {
    const EndTime = new Date(stage.clock.now());
    const { Datapoints } = await stage.drive(
      stage.simulation.aws('monitoring', 'GetMetricStatistics', {
        Namespace: metricNamespace,
        MetricName,
        Dimensions: [{ Name: 'ClusterName', Value: 'logs' }],
        StartTime: new Date(stage.clock.now() - forMs),
        EndTime,
        Period: 300,
        Statistics: [Statistic],
      }) as Promise<{ Datapoints: Record<string, number>[] }>,
    );
    return Datapoints.map((point) => point[Statistic]!);
  };
  beforeAll(async () => {
    stage = await ClusterStage.open({ masterCount: 3, dataCount: 2 });
    await stage.simulation.search('PUT', '/docs', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
  }, 300_000);

  it('are all quiet when a healthy cluster is an hour old', async () => {
    await stage.pass(75);

    expect(await alarmsOn()).toEqual([]);
    expect(await stage.alarmState(alarmName.notGreen('logs'))).toBe('OK');
    expect(await stage.alarmState(alarmName.snapshotTooOld('logs'))).toBe('OK');
  });

  it('get each number from one master alone, and from every node the days of its certificate', async () => {
    const counts = await valuesOf(metrics.notGreen, 'SampleCount', hour);
    const days = await valuesOf(metrics.certificateDays, 'Minimum', hour);

    expect(counts.length).toBeGreaterThanOrEqual(11);
    expect(Math.max(...counts)).toBe(1);
    expect(Math.min(...days)).toBeGreaterThan(3_000);
    const nodes = await valuesOf(metrics.certificateDays, 'SampleCount', hour);
    expect(nodes.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(5);
  });

  it('go on when the cluster is not green for ten minutes, and off when it is again', async () => {
    await stage.simulation.search('PUT', '/docs/_settings', { index: { number_of_replicas: 4 } });
    await stage.pass(4);
    expect(await alarmsOn()).toEqual([]);
    await stage.pass(12);
    expect(await alarmsOn()).toEqual([alarmName.notGreen('logs')]);

    await stage.simulation.search('PUT', '/docs/_settings', { index: { number_of_replicas: 1 } });
    await stage.pass(12);
    expect(await alarmsOn()).toEqual([]);
  });

  it('go on when snapshots fail for hours, and off when one succeeds', async () => {
    const mend = stage.fault({ service: 's3', operation: 'PutObject', effect: { kind: 'error', status: 503 } });
    await stage.pass(60);
    expect(await alarmsOn()).toEqual([]);
    await stage.pass(3.5 * 60);
    expect(await alarmsOn()).toEqual([alarmName.snapshotTooOld('logs')]);

    mend();
    await stage.pass(65);
    expect(await alarmsOn()).toEqual([]);
  });

  it('go on when a node could not be drained and is kept, and off when it was drained and released', async () => {
    const { simulation, groups } = stage;
    const [kept] = simulation.inService(groups.data);
    await simulation.terminate(kept!);
    await simulation.aws('autoscaling', 'CompleteLifecycleAction', {
      AutoScalingGroupName: groups.data,
      LifecycleHookName: hooks.terminating.name,
      InstanceId: kept,
      LifecycleActionResult: 'ABANDON',
    });
    await stage.until('it is retained', () => simulation.stateOf(kept!) === 'Terminating:Retained');
    await stage.pass(7);
    expect(await alarmsOn()).toEqual([alarmName.retainedInstance('logs')]);

    await stage.until('another node has come', () => simulation.inService(groups.data).length === 2);
    simulation.nodeOf(kept!).stop();
    await stage.until('it is released', () => simulation.stateOf(kept!) === undefined);
    await stage.pass(12);
    expect(await alarmsOn()).toEqual([]);
  });

  it('hear of no other namespace from a node', async () => {
    const [id] = stage.simulation.inService(stage.groups.master);
    const caller = { credentials: stage.world.machines.credentialsOf(id!)! };
    const put = (Namespace: string) =>
      stage.world.aws.call(
        'monitoring',
        'PutMetricData',
        { Namespace, MetricData: [{ MetricName: 'x', Value: 1 }] },
        caller,
      );

    await expect(stage.drive(put('Another/Namespace'))).rejects.toThrow(/PutMetricData/);
    await stage.drive(put(metricNamespace));
  });
});
