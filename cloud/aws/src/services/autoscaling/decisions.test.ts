import { describe, expect, it } from 'vitest';
import { nextSubnet, onDemandTarget } from './launch/placement.ts';
import { decideRefresh, patienceMs, type RefreshFacts, type RefreshInstance } from './refresh/decide-refresh.ts';
import { decideScaleIn, type ScaleInCandidate, type ScaleInFacts } from './scaling/decide-scale-in.ts';
import {
  decideSimpleAdjustment,
  decideStepAdjustment,
  type StepFacts,
  stepFor,
} from './scaling/decide-step-adjustment.ts';
import { warmPoolSize } from './warm-pool/warm-pool.ts';

describe('nextSubnet', () => {
  const subnets = [
    { subnetId: 's1', zone: 'a' },
    { subnetId: 's2', zone: 'b' },
    { subnetId: 's3', zone: 'b' },
  ];

  it.each([
    ['the first when all are empty', [], 's1'],
    ['the emptier zone', ['s1'], 's2'],
    ['the emptier subnet of the emptier zone', ['s1', 's1', 's2'], 's3'],
    ['by zone, although a subnet elsewhere is emptier', ['s1', 's2', 's3'], 's1'],
  ])('chooses %s', (_, taken, expected) => {
    const zones: Record<string, string> = { s1: 'a', s2: 'b', s3: 'b' };
    const instances = taken.map((subnetId) => ({ subnetId, zone: zones[subnetId]! }));
    expect(nextSubnet(subnets, instances)?.subnetId).toBe(expected);
  });

  it('nextSubnet has nothing to choose without subnets', () => expect(nextSubnet([], [])).toBeUndefined());
});

describe('decideScaleIn', () => {
  const hour = 3_600_000;
  const now = 100 * hour;
  const one = (instanceId: string, more: Partial<ScaleInCandidate> = {}): ScaleInCandidate => ({
    instanceId,
    zone: 'a',
    protectedFromScaleIn: false,
    spot: false,
    launchedAt: now - 10 * hour,
    template: { id: 'lt', version: '3' },
    ...more,
  });
  const decide = (candidates: ScaleInCandidate[], more: Partial<ScaleInFacts> = {}) =>
    decideScaleIn(
      { candidates, count: 1, policies: ['Default'], currentTemplateId: 'lt', onDemandTarget: undefined, now, ...more },
      (from) => from[0]!,
    );

  it.each<[string, ScaleInCandidate[], Partial<ScaleInFacts>, string[]]>([
    ['from the fullest zone', [one('1', { zone: 'b' }), one('2'), one('3')], {}, ['2']],
    [
      'never a protected instance, even if its zone is the fullest',
      [one('1', { protectedFromScaleIn: true }), one('2', { protectedFromScaleIn: true }), one('3', { zone: 'b' })],
      {},
      ['3'],
    ],
    ['nothing when all are protected', [one('1', { protectedFromScaleIn: true })], {}, []],
    ['the oldest template version', [one('1'), one('2', { template: { id: 'lt', version: '2' } })], {}, ['2']],
    [
      'versions by number, not by text',
      [one('1', { template: { id: 'lt', version: '10' } }), one('2', { template: { id: 'lt', version: '9' } })],
      {},
      ['2'],
    ],
    [
      'another template before an older version',
      [one('1', { template: { id: 'lt', version: '1' } }), one('2', { template: { id: 'other', version: '9' } })],
      {},
      ['2'],
    ],
    [
      'the one closest to its next hour',
      [one('1', { launchedAt: now - 10 * hour - 10_000 }), one('2', { launchedAt: now - 10 * hour + 10_000 })],
      {},
      ['2'],
    ],
    [
      'the oldest instance when configured so',
      [one('1', { launchedAt: now - 5 * hour }), one('2', { launchedAt: now - 9 * hour })],
      { policies: ['OldestInstance'] },
      ['2'],
    ],
    [
      'the newest instance when configured so',
      [one('1', { launchedAt: now - 5 * hour }), one('2', { launchedAt: now - 9 * hour })],
      { policies: ['NewestInstance'] },
      ['1'],
    ],
    [
      'zones before policies',
      [one('1', { zone: 'b', launchedAt: 0 }), one('2'), one('3')],
      { policies: ['OldestInstance'] },
      ['2'],
    ],
    [
      'zone by zone when several go',
      [one('1'), one('2'), one('3', { zone: 'b' }), one('4', { zone: 'b' })],
      { count: 2 },
      ['1', '3'],
    ],
    [
      'spot first while on-demand is within its target',
      [one('1'), one('2', { spot: true })],
      { onDemandTarget: 1 },
      ['2'],
    ],
    [
      'on-demand first when there is too much of it',
      [one('1'), one('2', { spot: true })],
      { onDemandTarget: 0 },
      ['1'],
    ],
  ])('takes %s', (_, candidates, more, expected) => expect(decide(candidates, more)).toEqual(expected));
});

describe('onDemandTarget', () => {
  it.each([
    [{}, 4, 4],
    [{ OnDemandBaseCapacity: 2, OnDemandPercentageAboveBaseCapacity: 0 }, 5, 2],
    [{ OnDemandBaseCapacity: 2, OnDemandPercentageAboveBaseCapacity: 0 }, 1, 1],
    [{ OnDemandBaseCapacity: 1, OnDemandPercentageAboveBaseCapacity: 50 }, 4, 3],
  ])('%j of %d are %d', (distribution, capacity, expected) =>
    expect(onDemandTarget(distribution, capacity)).toBe(expected),
  );
});

describe('warmPoolSize', () => {
  it.each([
    [{ minSize: 0, preparedCapacity: 8, desiredCapacity: 6 }, 2],
    [{ minSize: 0, preparedCapacity: 5, desiredCapacity: 6 }, 0],
    [{ minSize: 3, preparedCapacity: 8, desiredCapacity: 6 }, 3],
    [{ minSize: 3, preparedCapacity: 8, desiredCapacity: 0 }, 8],
  ])('%j has %d', (facts, expected) => expect(warmPoolSize(facts)).toBe(expected));
});

describe('step adjustments', () => {
  const out = [
    { MetricIntervalLowerBound: 0, MetricIntervalUpperBound: 10, ScalingAdjustment: 0 },
    { MetricIntervalLowerBound: 10, MetricIntervalUpperBound: 20, ScalingAdjustment: 10 },
    { MetricIntervalLowerBound: 20, ScalingAdjustment: 30 },
  ];
  const into = [
    { MetricIntervalLowerBound: -10, MetricIntervalUpperBound: 0, ScalingAdjustment: 0 },
    { MetricIntervalLowerBound: -20, MetricIntervalUpperBound: -10, ScalingAdjustment: -10 },
    { MetricIntervalUpperBound: -20, ScalingAdjustment: -30 },
  ];

  it.each([
    [out, 9.9, 0],
    [out, 10, 10],
    [out, 20, 30],
    [out, -1, undefined],
    [into, -10, -10],
    [into, -9.9, 0],
    [into, -20, -30],
    [into, 0, 0],
  ])('step %# of a breach of %d is %d', (steps, breach, expected) =>
    expect(stepFor(steps, breach)?.ScalingAdjustment).toBe(expected),
  );

  /** The example of the user guide: threshold 50, ten instances, percentages. */
  const facts: StepFacts = {
    adjustmentType: 'PercentChangeInCapacity',
    steps: out,
    minAdjustmentMagnitude: undefined,
    metricValue: 60,
    threshold: 50,
    desiredCapacity: 10,
    minSize: 0,
    maxSize: 100,
    warmCapacity: 10,
    warmingCapacity: 0,
    terminatingCapacity: 0,
  };

  it.each<[string, Partial<StepFacts>, unknown]>([
    ['adds 10 % of ten', {}, { desired: 11 }],
    [
      'adds nothing while the first adjustment warms up',
      { metricValue: 62, desiredCapacity: 11, warmingCapacity: 1 },
      { refused: 'already-there' },
    ],
    [
      'adds the rest of a larger adjustment',
      { metricValue: 70, desiredCapacity: 11, warmingCapacity: 1 },
      { desired: 13 },
    ],
    ['rounds 3.3 down', { metricValue: 70, desiredCapacity: 11, warmCapacity: 11 }, { desired: 14 }],
    ['removes 1.4 as one', { steps: into, metricValue: 40, desiredCapacity: 14, warmCapacity: 14 }, { desired: 13 }],
    ['removes 3.9 as three', { steps: into, metricValue: 30, desiredCapacity: 13, warmCapacity: 13 }, { desired: 10 }],
    ['rounds .67 up to one', { desiredCapacity: 3, warmCapacity: 3, metricValue: 70 }, { desired: 4 }],
    ['honours the least magnitude', { desiredCapacity: 4, warmCapacity: 4, minAdjustmentMagnitude: 2 }, { desired: 6 }],
    ['stops at the maximum', { maxSize: 10 }, { refused: 'already-there' }],
    [
      'does not scale in during a scale-out',
      { steps: into, metricValue: 30, warmingCapacity: 1 },
      { refused: 'scale-out-in-progress' },
    ],
    [
      'counts what terminates while scaling in',
      { steps: into, metricValue: 40, desiredCapacity: 9, terminatingCapacity: 1 },
      { refused: 'already-there' },
    ],
    ['has no step for a breach on the other side', { metricValue: 49 }, { refused: 'no-step-matches' }],
    [
      'sets an exact capacity upwards',
      { adjustmentType: 'ExactCapacity', metricValue: 60, desiredCapacity: 4, warmCapacity: 4 },
      { desired: 10 },
    ],
  ])('%s', (_, more, expected) => expect(decideStepAdjustment({ ...facts, ...more })).toEqual(expected));

  it('a simple policy adjusts the desired capacity', () => {
    const simple = { ...facts, adjustmentType: 'ChangeInCapacity' as const };
    expect(decideSimpleAdjustment({ ...simple, adjustment: -3 })).toEqual({ desired: 7 });
    expect(decideSimpleAdjustment({ ...simple, adjustment: 3, maxSize: 10 })).toEqual({ refused: 'already-there' });
  });
});

describe('decideRefresh', () => {
  const instance = (instanceId: string, more: Partial<RefreshInstance> = {}): RefreshInstance => ({
    instanceId,
    outdated: true,
    state: 'in-service',
    ready: true,
    protectedFromScaleIn: false,
    waitingForReplacement: false,
    ...more,
  });
  const old = (count: number) => Array.from({ length: count }, (_, index) => instance(`${index}`));
  const fresh = (count: number) =>
    old(count).map((one) => ({ ...one, instanceId: `new-${one.instanceId}`, outdated: false }));
  const facts = (instances: RefreshInstance[], more: Partial<RefreshFacts> = {}): RefreshFacts => ({
    instances,
    desiredCapacity: instances.length,
    minHealthyPercentage: 90,
    maxHealthyPercentage: undefined,
    protectedInstances: 'Wait',
    cancelling: false,
    stuckMs: 0,
    ...more,
  });
  const launching = instance('new', { outdated: false, state: 'launching', ready: false });
  const guarded = { protectedFromScaleIn: true };

  it.each<[string, RefreshFacts, unknown]>([
    ['one of three at 90 %', facts(old(3)), { act: 'replace', terminate: ['0'], launchFirst: [] }],
    ['two of twenty at 90 %', facts(old(20)), { act: 'replace', terminate: ['0', '1'], launchFirst: [] }],
    [
      'all at 0 %',
      facts(old(3), { minHealthyPercentage: 0 }),
      { act: 'replace', terminate: ['0', '1', '2'], launchFirst: [] },
    ],
    ['waits for a replacement', facts([launching, ...old(2)]), { act: 'wait', for: 'replacements' }],
    [
      'fills the batch while one is under way',
      facts([launching, ...old(19)]),
      { act: 'replace', terminate: ['0'], launchFirst: [] },
    ],
    [
      'new before old when a maximum is set and the minimum leaves no room',
      facts(old(3), { minHealthyPercentage: 100, maxHealthyPercentage: 100 }),
      { act: 'replace', terminate: [], launchFirst: ['0'] },
    ],
    [
      'as many at once as the maximum allows',
      facts(old(4), { minHealthyPercentage: 100, maxHealthyPercentage: 150 }),
      { act: 'replace', terminate: [], launchFirst: ['0', '1'] },
    ],
    [
      'waits while old ones wait for their replacement',
      facts([instance('0', { waitingForReplacement: true }), ...fresh(1)], {
        minHealthyPercentage: 100,
        maxHealthyPercentage: 110,
      }),
      { act: 'wait', for: 'replacements' },
    ],
    ['waits for the protected', facts([instance('0', guarded), ...fresh(1)]), { act: 'wait', for: 'protected' }],
    [
      'fails when they stay protected',
      facts([instance('0', guarded), ...fresh(1)], { stuckMs: patienceMs }),
      { act: 'fail', because: 'Some instances are protected from scale in and could not be replaced.' },
    ],
    [
      'replaces the protected when configured so',
      facts([instance('0', guarded)], { protectedInstances: 'Refresh' }),
      { act: 'replace', terminate: ['0'], launchFirst: [] },
    ],
    [
      'ignores the protected when configured so',
      facts([instance('0', guarded)], { protectedInstances: 'Ignore' }),
      { act: 'succeed' },
    ],
    [
      'the pool comes last',
      facts([instance('p', { state: 'pooled', ready: false }), ...fresh(1)], { desiredCapacity: 1 }),
      { act: 'replace', terminate: ['p'], launchFirst: [] },
    ],
    ['is over when all are new', facts(fresh(3)), { act: 'succeed' }],
    [
      'cancelling starts nothing',
      facts([launching, ...old(2)], { cancelling: true }),
      { act: 'wait', for: 'replacements' },
    ],
    ['cancelled once nothing is under way', facts(old(3), { cancelling: true }), { act: 'cancelled' }],
    [
      'fails when replacements never come',
      facts(old(1), { desiredCapacity: 3, stuckMs: patienceMs }),
      { act: 'fail', because: 'Replacement instances did not become healthy in time.' },
    ],
  ])('%s', (_, given, expected) => expect(decideRefresh(given)).toEqual(expected));
});
