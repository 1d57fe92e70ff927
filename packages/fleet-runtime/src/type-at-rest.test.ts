import { jsonLogger, SeededRandom, VirtualClock } from '@drover/core';
import { environment as keys, tags } from '@drover/core/names/runner-fleet';
import { emptyMemory, type Memory } from '@drover/runner-fleet';
import { expect, it } from 'vitest';
import type { FunctionRuntime } from './compose.ts';
import { deregistrationFunction } from './deregistration.ts';
import { recordMetricFunction } from './record-metric.ts';
import { registrationFunction } from './registration.ts';

const env = {
  AWS_REGION: 'eu-west-1',
  [keys.groupName]: 'runners',
  [keys.types]: 'true',
  [keys.scalingMode]: 'jobs',
  [keys.platformApi]: 'https://api.github.com',
  [keys.platformOrg]: 'example-org',
  [keys.platformTokenSecret]: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:token',
  [keys.allowedDrainTime]: '900',
  [keys.idleTarget]: '0',
  [keys.scaleUpLimit]: '10',
  [keys.vendor]: 'Drover',
  [keys.memoryBucket]: 'memory',
  [keys.memoryKey]: 'fleet-memory.json',
  [keys.instanceArnPrefix]: 'arn:aws:ec2:eu-west-1:123456789012:instance/',
};
const clock = new VirtualClock();
const statistics = { available: 0, assigned: 0, running: 0, registered: 0, busy: 0, idle: 0 };
const jobs = { statistics, statisticsAt: clock.now(), hosts: {} };
const memory = (resting: Memory | undefined): Memory => ({
  ...emptyMemory,
  sweptAt: clock.now(),
  jobs,
  types: { large: { since: 1, restsSince: 1, resting } },
});
const group = (AutoScalingGroupName: string, Tags: object[]) => ({
  AutoScalingGroupName,
  Tags,
  MinSize: 0,
  MaxSize: 5,
  DesiredCapacity: 0,
});
const groups = [
  group('runners', []),
  group('runners-large', [
    { Key: tags.fleet, Value: 'runners' },
    { Key: tags.type, Value: 'large' },
  ]),
];

/** The objects that a pass reads, and what it logs. */
async function pass(
  make: typeof deregistrationFunction | typeof recordMetricFunction | typeof registrationFunction,
  state: Memory,
): Promise<{ readonly read: ReadonlySet<string>; readonly logged: readonly string[] }> {
  const read = new Set<string>();
  const logged: string[] = [];
  const call = async (
    operation: string,
    input: { readonly Key?: string; readonly AutoScalingGroupNames?: string[] },
  ) => {
    if (operation === 'GetObject') read.add(input.Key!);
    const asked = input.AutoScalingGroupNames ?? ['runners-large'];
    const responses: Readonly<Record<string, object>> = {
      DescribeAutoScalingGroups: {
        AutoScalingGroups: groups.filter((each) => asked.includes(each.AutoScalingGroupName)),
      },
      GetObject: { Body: JSON.stringify(input.Key === 'fleet-memory.json' ? state : { jobs }), ETag: 'a' },
      PutMetricData: {},
    };
    return responses[operation] ?? Promise.reject(new Error(`${operation} may not be called`));
  };
  const handler = make({
    env,
    clock,
    random: new SeededRandom(1),
    log: jsonLogger({ clock, write: (line) => logged.push(line) }),
    fetch: () => Promise.reject(new Error('no call of the platform is expected')),
    aws: () => new Proxy({}, { get: () => call }),
  } as unknown as FunctionRuntime);
  await handler({ source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} });
  return { read, logged };
}

it.each(Object.entries({ deregistrationFunction, recordMetricFunction, registrationFunction }))(
  'a minute of %s reads one object of a fleet whose types are at rest',
  async (_, make) => {
    const { read } = await pass(make, memory({ ...emptyMemory, jobs }));

    expect([...read]).toEqual(['fleet-memory.json']);
  },
);

it.each(Object.entries({ deregistrationFunction, recordMetricFunction }))(
  'a minute of %s reads the object of a type that is only announced to rest',
  async (_, make) => {
    expect((await pass(make, memory(undefined))).read).toContain('types/large.json');
  },
);

it('a minute of record_metric logs the figures of each type but of those at rest', async () => {
  const groupsIn = (lines: readonly string[]) => lines.map((line) => /"group":"[^"]*"/.exec(line)?.[0] ?? line);
  const resting = await pass(recordMetricFunction, memory({ ...emptyMemory, jobs }));
  const awake = await pass(recordMetricFunction, memory(undefined));

  expect(groupsIn(awake.logged).filter((each) => each.includes('runners-large'))).toHaveLength(1);
  expect(groupsIn(resting.logged).filter((each) => each.includes('runners-large'))).toEqual([]);
  expect(resting.logged).toHaveLength(1);
});
