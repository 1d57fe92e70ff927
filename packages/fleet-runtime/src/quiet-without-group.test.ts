import { jsonLogger, SeededRandom, VirtualClock } from '@drover/core';
import { environment as keys, metrics } from '@drover/core/names/runner-fleet';
import { expect, it } from 'vitest';
import type { FunctionRuntime } from './compose.ts';
import { deregistrationFunction } from './deregistration.ts';
import { recordMetricFunction } from './record-metric.ts';
import { registrationFunction } from './registration.ts';

const env = {
  AWS_REGION: 'eu-west-1',
  [keys.groupName]: 'runners',
  [keys.platformApi]: 'https://api.github.com',
  [keys.platformOrg]: 'example-org',
  [keys.platformTokenSecret]: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:token',
  [keys.allowedDrainTime]: '900',
  [keys.idleTarget]: '1',
  [keys.scaleUpLimit]: '10',
  [keys.vendor]: 'Drover',
  [keys.memoryBucket]: 'memory',
  [keys.memoryKey]: 'fleet-memory.json',
  [keys.instanceArnPrefix]: 'arn:aws:ec2:eu-west-1:123456789012:instance/',
};
const responses: Readonly<Record<string, object>> = {
  DescribeAutoScalingGroups: { AutoScalingGroups: [] },
  GetObject: { Body: '{}', ETag: 'a' },
  PutObject: { ETag: 'b' },
  GetSecretValue: { SecretString: 'ghp_x' },
};

it.each(Object.entries({ registrationFunction, deregistrationFunction, recordMetricFunction }))(
  'a minute of %s before the group of a first deployment exists is no failure and publishes nothing',
  async (_, make) => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    const called: string[] = [];
    const call = async (operation: string) => {
      called.push(operation);
      return responses[operation] ?? Promise.reject(new Error(`${operation} may not be called`));
    };
    const handler = make({
      env,
      clock,
      random: new SeededRandom(1),
      log: jsonLogger({ clock, write: (line) => lines.push(line) }),
      fetch: async () => Response.json({ total_count: 0, runners: [] }),
      aws: () => new Proxy({}, { get: () => call }),
    } as unknown as FunctionRuntime);

    await handler({ source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} });

    expect(called).toContain('DescribeAutoScalingGroups');
    expect(lines.join()).toContain('there is no Auto Scaling group runners');
    expect(lines.join()).not.toContain(metrics.idle);
  },
);
