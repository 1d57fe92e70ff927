import type { WhatIfRequest } from '@drover/observation/api';
import { inputsOf, inputsWithTypes, type ObservedFleet } from '@drover/observation/observed-inputs';
import { describe, expect, it } from 'vitest';
import { configurationName, inputsFor, parseReplayRequest, typesIn, variedIn } from './request.ts';

const fleet: ObservedFleet = {
  group: { MinSize: '2', MaxSize: '8', WarmPoolConfiguration: { MinSize: 3, MaxGroupPreparedCapacity: 8 } },
  mode: 'idle',
  idleTarget: 2,
  idleTargetSchedules: [{ cron: '0 8 * * 1-5', timeZone: 'Europe/Berlin', idleRunnersTargetCount: 4 }],
  allowedDrainSeconds: 900,
  instanceType: 't3a.medium',
  volumeGiB: 30,
};

const request: WhatIfRequest = {
  idleTargets: [4, 1, 4],
  maxSizes: [8],
  modes: ['jobs', 'idle'],
  jobs: { kind: 'week' },
  hours: 24,
  maxWaitSeconds: 120,
};

describe('the inputs of an observed fleet', () => {
  it('a fleet with a warm pool is written as a configuration file would have it', () => {
    expect(inputsOf(fleet)).toEqual({
      scaling_mode: 'idle',
      asg_min_size: 2,
      asg_max_size: 8,
      idle_runners_target_count: 2,
      allowed_drain_time: 900,
      idle_target_schedules: [{ cron: '0 8 * * 1-5', time_zone: 'Europe/Berlin', idle_runners_target_count: 4 }],
      root_volume_size: 30,
      instance_type: 't3a.medium',
      warm_pool_max_size: 8,
    });
  });

  it('a fleet of several types and spot instances has no warm pool', () => {
    const MixedInstancesPolicy = {
      InstancesDistribution: { OnDemandBaseCapacity: 1, OnDemandPercentageAboveBaseCapacity: 0 },
      LaunchTemplate: { Overrides: [{ InstanceType: 't3a.medium' }, { InstanceType: 't3.medium' }] },
    };
    const inputs = inputsOf({ ...fleet, group: { MinSize: 0, MaxSize: 4, MixedInstancesPolicy } });
    expect(inputs).toMatchObject({ instance_types: ['t3a.medium', 't3.medium'], on_demand_base_capacity: 1 });
    expect(Object.keys(inputs).filter((key) => /warm|instance_type$|percentage/.test(key))).toEqual([]);
  });

  it('a fleet whose types are described keeps the description, in the words of a configuration file', () => {
    const InstanceRequirements = {
      VCpuCount: { Min: 2, Max: undefined },
      MemoryMiB: { Min: 4096, Max: 8192 },
      SpotMaxPricePercentageOverLowestPrice: 50,
      ExcludedInstanceTypes: ['t*'],
    };
    const MixedInstancesPolicy = { LaunchTemplate: { Overrides: [{ InstanceRequirements }] } };
    expect(inputsOf({ ...fleet, group: { MinSize: 0, MaxSize: 4, MixedInstancesPolicy } })).toMatchObject({
      instance_requirements: {
        vcpu_count: { min: 2 },
        memory_mib: { min: 4096, max: 8192 },
        spot_max_price_percentage_over_lowest_price: 50,
        excluded_instance_types: ['t*'],
      },
    });
  });

  it('a pool whose least size is not the default keeps it, and a group without a pool says so', () => {
    const withPool = { ...fleet.group, WarmPoolConfiguration: { MinSize: 1, MaxGroupPreparedCapacity: 8 } };
    expect(inputsOf({ ...fleet, group: withPool })).toMatchObject({ warm_pool_min_size: 1, warm_pool_max_size: 8 });
    expect(inputsOf({ ...fleet, group: { MinSize: 2, MaxSize: 8 } })).toMatchObject({ warm_pool_max_size: 0 });
  });
});

describe('a question of what-if', () => {
  it('every combination is replayed in each mode, and a fleet that scales on jobs may go down to nothing', () => {
    const inputs = { ...inputsOf(fleet), scale_up_limit: 3 };
    const { configurations, hours, maxWait } = parseReplayRequest(request, inputs);
    expect(Object.keys(configurations)).toEqual(
      ['jobs', 'idle'].flatMap((mode) => [1, 4].map((idle) => `${mode} mode, idle target ${idle}, max 8`)),
    );
    const { varied, inputs: idle } = configurations['idle mode, idle target 4, max 8']!;
    expect(varied).toEqual({ mode: 'idle', idleTarget: 4, maxSize: 8 });
    expect(idle).toMatchObject({ asg_min_size: 2, scale_up_limit: 3, idle_runners_target_count: 4 });
    const { inputs: jobs } = configurations['jobs mode, idle target 4, max 8']!;
    expect(jobs).toMatchObject({ asg_min_size: 0, scaling_mode: 'jobs' });
    expect(jobs).not.toHaveProperty('scale_up_limit');
    expect([hours, maxWait]).toEqual([24, 120]);
  });

  it('the configuration that is deployed has the same name in the report', () => {
    const deployed = configurationName(variedIn(inputsOf(fleet)));
    expect(deployed).toBe('idle mode, idle target 2, max 8');
    expect(parseReplayRequest({ ...request, idleTargets: [2] }, inputsOf(fleet)).configurations).toHaveProperty([
      deployed,
    ]);
  });

  it('a question about a type of the fleet has the inputs of that type, and one that is not there is refused', () => {
    const inputs = inputsWithTypes(fleet, {
      large: { ...fleet, mode: 'jobs', group: { MinSize: 0, MaxSize: 3 }, idleTarget: 0, instanceType: 'm6i.xlarge' },
    });

    expect(Object.keys(typesIn(inputs).types ?? {})).toEqual(['default', 'large']);
    expect(inputsFor({}, inputs)).toEqual(inputsOf(fleet));
    expect(inputsFor({ type: 'large' }, inputs)).toMatchObject({ asg_max_size: 3, instance_type: 'm6i.xlarge' });
    expect(() => inputsFor({ type: 'small' }, inputs)).toThrow('the fleet has no type small');
    expect(typesIn(inputsWithTypes(fleet, {})).types).toBeUndefined();
  });

  it.each([
    ['no value', { idleTargets: [] }, /0 idle targets are given.*/],
    ['a word instead of a number', { idleTargets: [Number.NaN] }, /idle targets: null is not allowed/],
    ['no mode', { modes: [] }, /no mode is chosen/],
    ['a history without text', { jobs: { kind: 'history', name: 'x.json', text: ' ' } }, /there is no job to replay/],
    ['no hour', { hours: 0 }, /hours: 0 is not allowed/],
    ['more than 24 configurations', { idleTargets: [1, 2, 3, 4, 5], maxSizes: [6, 7, 8] }, /30 configurations/],
  ] as const)('a question with %s is refused', (_, change, problem) => {
    expect(() => parseReplayRequest({ ...request, ...(change as Partial<WhatIfRequest>) }, inputsOf(fleet))).toThrow(
      problem,
    );
  });
});
