import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { VirtualClock } from '@drover/core';
import { alarmName, facts, hooks, metricNamespace, metrics } from '@drover/core/names/search-cluster';
import { certify, makeKey } from '@drover/functions/certificate-authority';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** How long an authority is good. */
const authorityDays = 30 * 365;

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
      stage.deployed.aws('monitoring', 'GetMetricStatistics', {
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
  const recoverySpeed = (factor: number) => stage.deployed.setRecoverySpeed(factor);
  /** Replaces the present authority by another, in the secrets that the nodes read. */
  const setAuthority = async (goodForDays: number) => {
    const key = await makeKey();
    const clock = new VirtualClock(stage.clock.now() - (authorityDays - goodForDays) * day);
    const certificate = await certify(key, { commonName: 'another', clock, random: stage.world.engine.random });
    const [id] = stage.deployed.inService();
    const { elasticsearch } = JSON.parse(stage.world.machines.get(id!)!.files.get(facts.files[0])!);
    for (const [name, SecretString] of [
      ['ca_key_secret', key.reveal()],
      ['ca_certificate_secret', certificate],
    ])
      await stage.deployed.aws('secretsmanager', 'PutSecretValue', { SecretId: elasticsearch[name!], SecretString });
  };
  beforeAll(async () => {
    stage = await ClusterStage.open({ masterCount: 3, dataCount: 2 });
    await stage.deployed.search('PUT', '/docs', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
  }, 300_000);

  it('no alarm is in state ALARM when a healthy cluster is an hour old', async () => {
    await stage.pass(75);

    expect(await alarmsOn()).toEqual([]);
    expect(await stage.alarmState(alarmName.notGreen('logs'))).toBe('OK');
    expect(await stage.alarmState(alarmName.snapshotTooOld('logs'))).toBe('OK');
  });

  it('the alarm on old restore drills was never on while a new cluster formed, and reports drills of which nothing is heard any more', async () => {
    const alarm = alarmName.restoreDrillTooOld('logs');
    const changes = () =>
      stage.world.engine.journal.entries
        .filter(({ source, subject }) => source === 'aws.cloudwatch' && subject === alarm)
        .flatMap(({ name }) => (name.includes(' -> ') ? [name] : []));
    expect(changes()).toEqual(['INSUFFICIENT_DATA -> OK']);

    const mend = stage.fault({ service: 's3', operation: 'GetObject', effect: { kind: 'error', status: 503 } });
    await stage.pass(3 * 60);
    expect(changes()).toEqual(['INSUFFICIENT_DATA -> OK', 'OK -> INSUFFICIENT_DATA']);
    const { MetricAlarms } = await stage.drive(
      stage.aws.cloudwatch.send(new DescribeAlarmsCommand({ AlarmNames: [alarm] })),
    );
    const [{ AlarmActions, InsufficientDataActions }] = MetricAlarms as [(typeof MetricAlarms & {})[number]];
    expect([AlarmActions?.length, InsufficientDataActions]).toEqual([1, AlarmActions]);

    mend();
    // Snapshots have failed too.
    await stage.pass(65);
    expect([await alarmsOn(), await stage.alarmState(alarm)]).toEqual([[], 'OK']);
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
    await stage.deployed.search('PUT', '/docs/_settings', { index: { number_of_replicas: 4 } });
    await stage.pass(4);
    expect(await alarmsOn()).toEqual([]);
    await stage.pass(12);
    expect(await alarmsOn()).toEqual([alarmName.notGreen('logs')]);

    await stage.deployed.search('PUT', '/docs/_settings', { index: { number_of_replicas: 1 } });
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
    const { deployed, groups } = stage;
    const [kept] = deployed.inService(groups.data);
    await deployed.terminate(kept!);
    await deployed.aws('autoscaling', 'CompleteLifecycleAction', {
      AutoScalingGroupName: groups.data,
      LifecycleHookName: hooks.terminating.name,
      InstanceId: kept,
      LifecycleActionResult: 'ABANDON',
    });
    await stage.until('it is retained', () => deployed.stateOf(kept!) === 'Terminating:Retained');
    await stage.pass(7);
    expect(await alarmsOn()).toEqual([alarmName.retainedInstance('logs')]);

    await stage.until('another node has come', () => deployed.inService(groups.data).length === 2);
    deployed.nodeOf(kept!).stop();
    await stage.until('it is released', () => deployed.stateOf(kept!) === undefined);
    await stage.pass(12);
    expect(await alarmsOn()).toEqual([]);
  });

  it('go on when a disk is above the low watermark, and off when there is room again', async () => {
    const { deployed, groups } = stage;
    const node = deployed.nodeOf(deployed.inService(groups.data)[0]!);
    node.setFreeBytes(0.14 * node.diskBytes);
    await stage.pass(4);
    expect(await alarmsOn()).toEqual([]);
    await stage.pass(12);
    expect(await alarmsOn()).toEqual([alarmName.diskAboveWatermark('logs')]);
    expect(Math.max(...(await valuesOf(metrics.diskUsed, 'Maximum', 10 * minute)))).toBeCloseTo(86, 0);

    node.setFreeBytes(0.16 * node.diskBytes);
    await stage.pass(12);
    expect(await alarmsOn()).toEqual([]);
  });

  it('go on when Elasticsearch refuses to write to an index because a disk is full, and off when there is room again', async () => {
    const { deployed, groups } = stage;
    const node = deployed.nodeOf(deployed.inService(groups.data)[0]!);
    node.setFreeBytes(0.04 * node.diskBytes);
    await stage.pass(17);
    expect(await alarmsOn()).toEqual([alarmName.diskAboveWatermark('logs'), alarmName.writesBlocked('logs')]);

    node.setFreeBytes(0.16 * node.diskBytes);
    await stage.pass(17);
    expect(await alarmsOn()).toEqual([]);
  });

  it('go on when a heap has been full for half an hour, and off when it is not', async () => {
    const { deployed, groups } = stage;
    const node = deployed.nodeOf(deployed.inService(groups.data)[0]!);
    node.heapPercent = 97;
    await stage.pass(24);
    expect(await alarmsOn()).toEqual([]);
    await stage.pass(15);
    expect(await alarmsOn()).toEqual([alarmName.heapTooFull('logs')]);

    node.heapPercent = undefined;
    await stage.pass(12);
    expect(await alarmsOn()).toEqual([]);
  });

  it('go on when nodes have refused searches for 15 minutes, not after one moment of it, and off when they refuse none', async () => {
    const refuse = async (minutes: number) => {
      const mend = stage.fault({ service: 'search', operation: 'search', effect: { kind: 'throttle' } });
      for (let left = minutes; left > 0; left -= 1) {
        await stage.deployed.search('GET', '/docs/_search').catch(() => {});
        await stage.pass(1);
      }
      mend();
    };
    await refuse(2);
    await stage.pass(12);
    expect(await alarmsOn()).toEqual([]);

    await refuse(24);
    expect(await alarmsOn()).toEqual([alarmName.requestsRejected('logs')]);
    await stage.pass(12);
    expect(await alarmsOn()).toEqual([]);
  });

  it('go on when a drain takes more than four hours, and off when the node is drained and gone', async () => {
    const { deployed, groups } = stage;
    await deployed.search('PUT', '/docs/_doc/large?refresh=true', { text: 'x'.repeat(40_000) });
    recoverySpeed(1e-8);
    const [slow] = deployed.inService(groups.data);
    await deployed.terminate(slow!);
    await stage.pass(3.5 * 60);
    expect(deployed.nodeOf(slow!).copies.size).toBeGreaterThan(0);
    expect(await alarmsOn()).toEqual([]);
    await stage.pass(45);
    expect(await alarmsOn()).toEqual([alarmName.drainTooLong('logs')]);

    recoverySpeed(1);
    await stage.until('it is drained and gone', () => deployed.stateOf(slow!) === undefined);
    await stage.pass(12);
    expect(await alarmsOn()).toEqual([]);
    await stage.until('another node has come', () => deployed.inService(groups.data).length === 2);
  });

  it('go on when an authority ends within thirty days, and off when it was replaced on every node', async () => {
    await setAuthority(29);
    await stage.pass(2 * 60);
    expect(await alarmsOn()).toEqual([alarmName.certificateExpires('logs')]);

    await setAuthority(authorityDays);
    await stage.pass(30);
    expect(await alarmsOn()).toEqual([alarmName.certificateExpires('logs')]);
    await stage.pass(2.5 * 60);
    expect(await alarmsOn()).toEqual([]);
  });

  it('hear of no other namespace from a node', async () => {
    const [id] = stage.deployed.inService(stage.groups.master);
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
