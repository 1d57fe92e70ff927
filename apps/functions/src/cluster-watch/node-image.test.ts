import type { AwsCalls } from '@drover/adapters/aws';
import { describe, expect, it } from 'vitest';
import type { CustomResourceEvent } from '../custom-resource.ts';
import { nodeImage } from './node-image.ts';

const cluster = { clusterName: 'logs', environment: 'production', bucket: 'state' };

interface Input {
  readonly AutoScalingGroupNames?: readonly string[];
  readonly Body?: string;
}

/** AWS with one object, one public parameter, and what the test gives it. */
function account(given: { running?: readonly string[]; groups?: readonly string[] } = {}) {
  const kept = { object: undefined as string | undefined, current: 'ami-1' };
  const Tags = [
    { Key: 'cluster', Value: 'logs' },
    { Key: 'environment', Value: 'production' },
  ];
  const answers: Readonly<Record<string, (input: Input) => unknown>> = {
    DescribeAutoScalingGroups: ({ AutoScalingGroupNames: names }) => ({
      AutoScalingGroups: (given.groups ?? [])
        .filter((name) => names!.includes(name))
        .map((AutoScalingGroupName) => ({ AutoScalingGroupName, Tags })),
    }),
    DescribeInstances: () => ({ Reservations: [{ Instances: (given.running ?? []).map((ImageId) => ({ ImageId })) }] }),
    GetParameter: () => ({ Parameter: { Value: kept.current } }),
    GetObject: () => {
      if (kept.object === undefined) throw Object.assign(new Error('none'), { name: 'NoSuchKey' });
      return { Body: kept.object };
    },
    PutObject: ({ Body }) => {
      kept.object = Body;
      return {};
    },
  };
  const call = async (operation: string, input: Input) => answers[operation]!(input);
  const aws = { autoscaling: call, ec2: call, s3: call, ssm: call } as unknown as AwsCalls;
  return { aws, kept };
}

const event = (ResourceProperties: object = {}) =>
  ({
    RequestType: 'Update',
    ResourceProperties: {
      Parameter: '/image',
      Groups: ['logs'],
      OtherGroups: ['logs-production'],
      ...ResourceProperties,
    },
  }) as unknown as CustomResourceEvent;

describe('the function that resolves the image of search nodes', () => {
  it('a new image of the distribution is taken with a new ami_release only, and a roll-back returns to the old one', async () => {
    const { aws, kept } = account();
    const images = [await nodeImage(aws, cluster, event())];
    kept.current = 'ami-2';
    for (const Release of [undefined, '2026-11', undefined])
      images.push(await nodeImage(aws, cluster, event(Release === undefined ? {} : { Release })));

    expect(images).toEqual(['ami-1', 'ami-1', 'ami-2', 'ami-1']);
  });

  it('a cluster that was deployed before keeps the image that its nodes have', async () => {
    expect(await nodeImage(account({ running: ['ami-0'] }).aws, cluster, event())).toBe('ami-0');
  });

  it('a deployment that would rename the groups of a cluster fails before it makes them', async () => {
    const { aws } = account({ groups: ['logs-production'] });

    await expect(nodeImage(aws, cluster, event())).rejects.toThrow('names_with_environment cannot be changed');
  });
});
