import { describe, expect, it } from 'vitest';
import { instanceBandwidth, recoveryMaxBytesPerSec } from './instance-bandwidth.ts';

describe('recovery rate of an instance type', () => {
  it.each([
    ['m6i.large', 125, '40mb', "never below Elasticsearch's own default"],
    ['t3a.medium', 125, '40mb', 'burstable: the default stays'],
    ['r6i.4xlarge', 125, '50mb', 'bound by a gp3 volume without extra throughput'],
    ['r6i.4xlarge', 1_000, '238mb', 'bound by EBS bandwidth of the instance'],
    ['m5.8xlarge', 1_000, '324mb', 'bound by EBS bandwidth below the network'],
    ['x9z.large', 1_000, '40mb', 'unknown type'],
    ['m6i.metal', 1_000, '40mb', 'unknown size'],
  ])('%s with %i MiB/s of volume throughput: %s, %s', (type, throughput, expected) => {
    expect(recoveryMaxBytesPerSec(type, throughput)).toBe(expected);
  });

  it('bandwidths are found by family and size', () => {
    expect(instanceBandwidth('r7g.2xlarge')).toEqual({ network: 3_750, ebs: 2_500 });
    expect(instanceBandwidth('t4g.small')).toEqual({ network: 128, ebs: 128 });
  });
});
