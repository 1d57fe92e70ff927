import { VirtualClock } from '@drover/core';
import { emptyMemory } from '@drover/runner-fleet';
import { describe, expect, it } from 'vitest';
import { groupReader } from './group.ts';
import { hostReports, hostReportsAndTags, parseReport, parseTag, writeReport } from './instance/host-reports.ts';
import { ownPlace } from './instance/own-instance.ts';
import { ownMetadata } from './instance/own-metadata.ts';
import { lifecycleHooks } from './lifecycle-hooks.ts';
import { fleetMetrics } from './metrics.ts';
import { remoteCommands } from './remote/remote-commands.ts';
import { groupHistory, transitionTimes } from './scaling-activities.ts';
import { awsError, scriptedCalls } from './scripted-calls.test-support.ts';
import { s3FleetMemory } from './stored-objects.ts';

describe('groupReader', () => {
  const member = {
    InstanceId: 'i-1',
    LifecycleState: 'InService',
    HealthStatus: 'Healthy',
    ProtectedFromScaleIn: true,
  };
  const read = async (group: object, pool: object[] = []) => {
    const { aws, made } = scriptedCalls({
      DescribeAutoScalingGroups: { AutoScalingGroups: [group] },
      DescribeWarmPool: (_: unknown, count: number) => pool[count],
    });
    return { facts: await groupReader(aws, 'runners').read(), made };
  };

  it('returns sizes and members, and reads no warm pool where there is none', async () => {
    const { facts, made } = await read({ MinSize: 1, MaxSize: 3, DesiredCapacity: 2, Instances: [member] });

    expect(facts).toEqual({
      name: 'runners',
      minSize: 1,
      maxSize: 3,
      desiredCapacity: 2,
      hasWarmPool: false,
      suspendedProcesses: [],
      instances: [
        { id: 'i-1', lifecycleState: 'InService', healthy: true, protectedFromScaleIn: true, inWarmPool: false },
      ],
    });
    expect(made).toHaveLength(1);
  });

  it('adds the members of every page of the warm pool', async () => {
    const pages = [
      {
        Instances: [{ InstanceId: 'i-2', LifecycleState: 'Warmed:Stopped', HealthStatus: 'Unhealthy' }],
        NextToken: 'b',
      },
      { Instances: [{ InstanceId: 'i-3', LifecycleState: 'Warmed:Stopped' }] },
    ];
    const { facts, made } = await read({ WarmPoolConfiguration: {}, Instances: [member] }, pages);

    expect(facts.instances.map(({ id, inWarmPool, healthy }) => [id, inWarmPool, healthy])).toEqual([
      ['i-1', false, true],
      ['i-2', true, false],
      ['i-3', true, true],
    ]);
    expect(made.at(-1)!.input.NextToken).toBe('b');
  });

  it.each([
    ['the number of the template', { LaunchTemplate: { Version: '7' } }, '7'],
    [
      'the number in a mixed-instances policy',
      { MixedInstancesPolicy: { LaunchTemplate: { LaunchTemplateSpecification: { Version: '8' } } } },
      '8',
    ],
    ['nothing for $Latest, which cannot be compared', { LaunchTemplate: { Version: '$Latest' } }, undefined],
  ])('returns as launch template version %s', async (_, group, version) => {
    expect((await read(group)).facts.launchTemplateVersion).toBe(version);
  });

  it('fails when the group does not exist', async () => {
    const { aws } = scriptedCalls({ DescribeAutoScalingGroups: { AutoScalingGroups: [] } });

    await expect(groupReader(aws, 'runners').read()).rejects.toThrow('there is no Auto Scaling group runners');
  });
});

describe('transitionTimes', () => {
  const activity = (id: string, at: number) => ({
    Description: `Launching a new EC2 instance: ${id}`,
    StartTime: new Date(at),
  });

  it('takes the newest activity of each instance, and reads no more pages than it needs', async () => {
    const pages = [
      { Activities: [activity('i-a', 9), activity('i-a', 5), { Description: 'no instance' }], NextToken: '2' },
      { Activities: [activity('i-b', 3)], NextToken: '3' },
    ];
    const { aws, made } = scriptedCalls({ DescribeScalingActivities: (_: unknown, count: number) => pages[count] });

    expect(await transitionTimes(aws, { of: () => 'runners' }).startedAt(['i-a', 'i-b'])).toEqual(
      new Map([
        ['i-a', 9],
        ['i-b', 3],
      ]),
    );
    expect(made).toHaveLength(2);
  });

  it('gives up after twenty pages, and makes no call for no instance', async () => {
    const { aws, made } = scriptedCalls({ DescribeScalingActivities: { Activities: [], NextToken: 'more' } });

    expect(await transitionTimes(aws, { of: () => 'runners' }).startedAt([])).toEqual(new Map());
    expect(made).toHaveLength(0);
    expect(await transitionTimes(aws, { of: () => 'runners' }).startedAt(['i-a'])).toEqual(new Map());
    expect(made).toHaveLength(20);
  });
});

describe('lifecycleHooks', () => {
  const hooks = (response: object) =>
    lifecycleHooks(scriptedCalls({ CompleteLifecycleAction: response, RecordLifecycleActionHeartbeat: response }).aws, {
      of: () => 'runners',
    });

  it('lifecycleHooks return accepted, or not-waiting when the instance does not wait (any more)', async () => {
    const gone = awsError('ValidationError', 'No active Lifecycle Action found with instance ID i-1');

    expect(await hooks({}).complete('i-1', 'registration', 'CONTINUE')).toBe('accepted');
    expect(await hooks({}).heartbeat('i-1', 'registration')).toBe('accepted');
    expect(await hooks(gone).complete('i-1', 'registration', 'CONTINUE')).toBe('not-waiting');
    expect(await hooks(gone).heartbeat('i-1', 'registration')).toBe('not-waiting');
  });

  it('fails when the group does not exist: a wrong name is not taken for a completed hook', async () => {
    const wrong = awsError('ValidationError', 'AutoScalingGroup name not found - AutoScalingGroup runners not found');

    await expect(hooks(wrong).complete('i-1', 'registration', 'CONTINUE')).rejects.toThrow('name not found');
  });
});

describe('ownPlace', () => {
  const place = (responses: Parameters<typeof scriptedCalls>[0]) =>
    ownPlace(scriptedCalls(responses).aws, { instanceId: 'i-1', groupName: 'runners' }, undefined);

  it('returns its lifecycle state, and none outside of a group', async () => {
    const found = { AutoScalingInstances: [{ LifecycleState: 'InService' }] };

    expect(await place({ DescribeAutoScalingInstances: found }).lifecycleState()).toBe('InService');
    expect(await place({ DescribeAutoScalingInstances: {} }).lifecycleState()).toBeUndefined();
  });

  it('ownPlace is refused protection outside of service; any other failure is an error', async () => {
    const refused = place({ SetInstanceProtection: awsError('ValidationError') });

    expect(await place({ SetInstanceProtection: {} }).protect(true)).toBe('done');
    expect(await refused.protect(true)).toBe('refused');
    await expect(place({ SetInstanceProtection: awsError('Throttling') }).protect(true)).rejects.toThrow('Throttling');
  });
});

it.each([
  ['We currently do not have sufficient m7a.large capacity in the Availability Zone you requested', true],
  ['Could not launch Spot Instances. UnfulfillableCapacity - Unable to fulfill capacity due to your request.', true],
  ['InsufficientInstanceCapacity - There is no Spot capacity available that matches your request.', true],
  ['MaxSpotInstanceCountExceeded - Max spot instance count exceeded. Launching EC2 instance failed.', true],
  ['You have requested more vCPU capacity than your current vCPU limit of 32 allows', true],
  ['The image id ami-1 does not exist. Launching EC2 instance failed.', false],
])('a launch that failed with "%s" failed for want of capacity or quota: %s', async (StatusMessage, wanting) => {
  const launch = { Description: 'Launching a new EC2 instance', StatusCode: 'Failed', StartTime: new Date(7) };
  const { aws } = scriptedCalls({ DescribeScalingActivities: { Activities: [{ ...launch, StatusMessage }] } });

  expect(await groupHistory(aws, 'runners').launchFailedAt()).toBe(wanting ? 7 : undefined);
});

describe('hostReports', () => {
  const report = { at: Date.UTC(2026, 0, 5), phase: 'draining', workers: 2, freeBytes: 7 } as const;
  const place = { bucket: 'memory', prefix: 'hosts/arn:instance/' };
  const missing = awsError('NoSuchKey');

  it('reads back what a host wrote below its own ARN, and ignores other texts', async () => {
    const { aws, made } = scriptedCalls({ PutObject: {} });
    await writeReport(aws, place, 'i-1', report);

    expect(made[0]?.input).toMatchObject({ Bucket: 'memory', Key: 'hosts/arn:instance/i-1' });
    expect(parseReport(made[0]?.input.Body as string)).toEqual(report);
    for (const text of ['', 'null', '{}', '{"at":"now","workers":1,"phase":"serving"}'])
      expect(parseReport(text)).toBeUndefined();
  });

  it('takes the time of a report from S3: the clock of a host may be wrong', async () => {
    const LastModified = new Date(report.at + 60_000);
    const { aws } = scriptedCalls({ GetObject: { Body: JSON.stringify(report), LastModified } });

    expect((await hostReports(aws, place).read(['i-1'])).get('i-1')?.at).toBe(LastModified.getTime());
  });

  it('fails when a report cannot be read: that is not a host without a report', async () => {
    const { aws } = scriptedCalls({ GetObject: awsError('AccessDenied') });

    await expect(hostReports(aws, place).read(['i-1'])).rejects.toThrow('AccessDenied');
  });

  it('reads the tags of hosts of release 0.1.0, 200 instances with one call', async () => {
    const ids = Array.from({ length: 450 }, (_, index) => `i-${index}`);
    const { aws, made } = scriptedCalls({
      GetObject: missing,
      DescribeTags: {
        Tags: [
          { ResourceId: 'i-1', Value: '2026-01-05T00:00:00.000Z/draining/2' },
          { ResourceId: 'i-2', Value: 'x' },
        ],
      },
    });
    const { freeBytes: _, ...tagged } = report;

    expect(await hostReportsAndTags(aws, place).read(ids)).toEqual(new Map([['i-1', tagged]]));
    const asked = made.filter(({ operation }) => operation === 'DescribeTags');
    expect(asked.map(({ input }) => (input.Filters as { Values: string[] }[])[0]!.Values.length)).toEqual([
      200, 200, 50,
    ]);
    for (const value of ['', 'yes', 'no time/draining/2', '2026-01-05T00:00:00.000Z'])
      expect(parseTag(value)).toBeUndefined();
  });
});

describe('remoteCommands', () => {
  it('returns what was sent since a time with its outcome, oldest first', async () => {
    const sent = (Comment: string, at: number, StatusDetails: string) => ({
      Comment,
      RequestedDateTime: new Date(at),
      StatusDetails,
    });
    const { aws } = scriptedCalls({
      ListCommandInvocations: {
        CommandInvocations: [
          sent('d', 50, 'Failed'),
          sent('c', 40, 'DeliveryTimedOut'),
          sent('b', 30, 'InProgress'),
          sent('a', 20, 'Success'),
          sent('old', 10, 'Success'),
        ],
      },
    });

    expect(await remoteCommands(aws).recent('i-1', 20)).toEqual([
      { command: 'a', sentAt: 20, outcome: 'succeeded' },
      { command: 'b', sentAt: 30, outcome: 'pending' },
      { command: 'c', sentAt: 40, outcome: 'undelivered' },
      { command: 'd', sentAt: 50, outcome: 'failed' },
    ]);
  });

  it('says when no remote agent ever registered', async () => {
    const send = (response: object) => remoteCommands(scriptedCalls({ SendCommand: response }).aws).send('i-1', 'x');

    expect(await send({})).toBe('sent');
    expect(await send(awsError('InvalidInstanceId'))).toBe('unknown');
    await expect(send(awsError('Throttling'))).rejects.toThrow('Throttling');
  });
});

describe('fleetMetrics', () => {
  it('puts all values in one call, with the group and further dimensions', async () => {
    const { aws, made } = scriptedCalls({ PutMetricData: {} });

    await fleetMetrics(aws, { vendor: 'Drover', groupName: 'runners' }).put({ A: 1, B: 2 }, { Reason: 'transient' });

    const Dimensions = [
      { Name: 'AutoScalingGroupName', Value: 'runners' },
      { Name: 'Reason', Value: 'transient' },
    ];
    expect(made.map(({ input }) => input.MetricData)).toEqual([
      [
        { MetricName: 'A', Value: 1, Dimensions },
        { MetricName: 'B', Value: 2, Dimensions },
      ],
    ]);
  });
});

describe('s3FleetMemory', () => {
  const object = { bucket: 'b', key: 'k' };
  const stored = (sweptAt: number, ETag: string) => ({ Body: JSON.stringify({ sweptAt }), ETag });

  it.each([
    ['does not exist', awsError('NoSuchKey')],
    ['cannot be parsed', { Body: '{"sweptAt":', ETag: '"1"' }],
  ])('s3FleetMemory is empty when the object %s', async (_, response) => {
    const { aws } = scriptedCalls({ GetObject: response });

    expect(await s3FleetMemory(aws, object, emptyMemory).read()).toEqual(emptyMemory);
  });

  it('s3FleetMemory fails, and is not empty, when it may not be read', async () => {
    const { aws } = scriptedCalls({ GetObject: awsError('AccessDenied') });

    await expect(s3FleetMemory(aws, object, emptyMemory).read()).rejects.toThrow('AccessDenied');
  });

  it('applies a change again to what another invocation wrote in between', async () => {
    const { aws, made } = scriptedCalls({
      GetObject: (_: unknown, count: number) => stored(count === 0 ? 1 : 10, count === 0 ? '"1"' : '"2"'),
      PutObject: (_: unknown, count: number) => (count === 0 ? awsError('PreconditionFailed') : { ETag: '"3"' }),
    });

    await s3FleetMemory(aws, object, emptyMemory).update((memory) => ({ ...memory, sweptAt: memory.sweptAt! + 1 }));

    const writes = made.filter(({ operation }) => operation === 'PutObject').map(({ input }) => input);
    expect(writes.map(({ IfMatch }) => IfMatch)).toEqual(['"1"', '"2"']);
    expect(JSON.parse(writes[1]!.Body as string)).toMatchObject({ sweptAt: 11 });
  });

  it('writes the first object only if there is none, and gives up after five lost races', async () => {
    const { aws, made } = scriptedCalls({
      GetObject: awsError('NoSuchKey'),
      PutObject: awsError('ConditionalRequestConflict'),
    });

    await expect(s3FleetMemory(aws, object, emptyMemory).update((memory) => memory)).rejects.toThrow('changed 5 times');
    const writes = made.filter(({ operation }) => operation === 'PutObject');
    expect(writes.map(({ input }) => input.IfNoneMatch)).toEqual(['*', '*', '*', '*', '*']);
  });
});

describe('ownMetadata', () => {
  /** A metadata service with a session token that expires on command. */
  function service(paths: Readonly<Record<string, string>>) {
    const clock = new VirtualClock(0);
    const asked: string[] = [];
    let token = 0;
    const answer = (path: string, init: RequestInit) => {
      asked.push(`${init.method ?? 'GET'} ${path}`);
      if (path === '/latest/api/token') return new Response(`token-${++token}`);
      const sent = (init.headers as Record<string, string>)['x-aws-ec2-metadata-token'];
      if (sent !== `token-${token}`) return new Response('', { status: 401 });
      const found = paths[path.replace('/latest/meta-data/', '')];
      return found === undefined ? new Response('', { status: 404 }) : new Response(found);
    };
    const fetch = (async (url: string, init: RequestInit = {}) =>
      answer(new URL(url).pathname, init)) as typeof globalThis.fetch;
    return { clock, asked, expire: () => token++, metadata: ownMetadata({ fetch, clock }) };
  }

  it('reads with one session token, and returns undefined for what is not there', async () => {
    const { metadata, asked } = service({ 'instance-id': 'i-1' });

    expect(await metadata.instanceId()).toBe('i-1');
    expect(await metadata.targetLifecycleState()).toBeUndefined();
    expect(await metadata.spotNoticeAt()).toBeUndefined();
    expect(asked.filter((path) => path.startsWith('PUT'))).toHaveLength(1);
  });

  it('returns the time of a spot notice', async () => {
    const { metadata } = service({ 'spot/instance-action': '{"action":"terminate","time":"2026-01-05T08:22:00Z"}' });

    expect(await metadata.spotNoticeAt()).toBe(Date.UTC(2026, 0, 5, 8, 22));
  });

  it('the metadata show when the instance was launched, and whether EC2 recommends to replace it', async () => {
    const { metadata } = service({
      'events/recommendations/rebalance': '{"noticeTime":"2026-01-05T08:22:00Z"}',
      '/latest/dynamic/instance-identity/document': '{"pendingTime":"2026-01-05T08:00:00Z"}',
    });
    const nothing = service({}).metadata;

    expect([await metadata.isAtRisk(), await metadata.launchedAt()]).toEqual([true, Date.UTC(2026, 0, 5, 8)]);
    expect([await nothing.isAtRisk(), await nothing.launchedAt()]).toEqual([false, undefined]);
  });

  it('takes a new token after the old one was refused, and before it expires', async () => {
    const { metadata, asked, expire, clock } = service({ 'instance-id': 'i-1' });
    await metadata.instanceId();
    expire();
    await expect(metadata.instanceId()).rejects.toThrow('401');
    expect(await metadata.instanceId()).toBe('i-1');

    await clock.advance(6 * 3_600_000);
    expect(await metadata.instanceId()).toBe('i-1');
    expect(asked.filter((path) => path.startsWith('PUT'))).toHaveLength(3);
  });
});
