import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { RunnerFleet, type RunnerFleetProps } from '../src/index.ts';
import { exampleProps, synthesiseFleet, type Template } from './synth.test-support.ts';
import { ofType } from './templates.test-support.ts';

const group = 'actions-runner-production';
const functionNames = ['registration', 'deregistration', 'record_metric'].map((suffix) => `${group}_${suffix}`);
const alarm = (template: Template, name: string) =>
  ofType(template, 'AWS::CloudWatch::Alarm').find(({ Properties }) => Properties.AlarmName === name)?.Properties;

let example: Template;
beforeAll(() => {
  example = synthesiseFleet();
});

describe('allowed_drain_time in the template of a runner fleet', () => {
  const drainTimes = (template: Template) =>
    ofType(template, 'AWS::Lambda::Function').map(
      ({ Properties }) =>
        (Properties.Environment as { Variables: Record<string, string> }).Variables.ALLOWED_DRAIN_TIME,
    );

  it.each([
    ['900 s by default', undefined, '900', 2700],
    ['as it was given', 7200, '7200', 8100],
  ])(
    'allowed_drain_time reaches the functions and the alarm on old lifecycle actions: %s',
    (_, allowedDrainTime, written, threshold) => {
      const template = synthesiseFleet({ allowedDrainTime });

      expect(drainTimes(template)).toEqual([written, written, written]);
      expect(alarm(template, `hook_too_old-${group}`)?.Threshold).toBe(threshold);
    },
  );

  it('allowed_drain_time is by default shorter than the deregistration hook, whose timeout of 1800 s ends in CONTINUE', () => {
    const [scaling] = ofType(example, 'AWS::AutoScaling::AutoScalingGroup');

    expect(scaling?.Properties.LifecycleHookSpecificationList).toContainEqual({
      LifecycleHookName: 'deregistration',
      LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
      HeartbeatTimeout: 1800,
      DefaultResult: 'CONTINUE',
    });
  });
});

describe('the throttle alarm of each function of a runner fleet', () => {
  it.each(functionNames)('throttles-%s goes off at the first throttled invocation of a minute', (name) => {
    expect(alarm(example, `throttles-${name}`)).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Throttles',
      Dimensions: [{ Name: 'FunctionName', Value: name }],
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 0,
      TreatMissingData: 'notBreaching',
    });
  });
});

describe('on_demand_base_capacity and the warm pool of a runner fleet', () => {
  const wanted: Partial<RunnerFleetProps> = { warmPoolMinSize: 2, warmPoolMaxSize: 6 };
  const hibernation = (template: Template) =>
    ofType(template, 'AWS::EC2::LaunchTemplate').map(
      ({ Properties }) => (Properties.LaunchTemplateData as Record<string, unknown>).HibernationOptions,
    );

  it('on_demand_base_capacity: 0 turns the warm pool off and lets every instance be a spot instance', () => {
    const template = synthesiseFleet({ ...wanted, onDemandBaseCapacity: 0 });
    const [scaling] = ofType(template, 'AWS::AutoScaling::AutoScalingGroup');

    expect(ofType(template, 'AWS::AutoScaling::WarmPool')).toEqual([]);
    expect(hibernation(template)).toEqual([undefined]);
    expect(alarm(template, `warm_pool_empty-${group}`)).toBeUndefined();
    expect(scaling?.Properties.MixedInstancesPolicy).toMatchObject({
      InstancesDistribution: { OnDemandBaseCapacity: 0, OnDemandPercentageAboveBaseCapacity: 0 },
    });
  });

  it('on_demand_base_capacity: null keeps the warm pool and takes no spot instance', () => {
    const template = synthesiseFleet({ ...wanted, onDemandBaseCapacity: null });
    const [scaling] = ofType(template, 'AWS::AutoScaling::AutoScalingGroup');

    expect(ofType(template, 'AWS::AutoScaling::WarmPool').map(({ Properties: pool }) => pool)).toMatchObject([
      { MinSize: 2, MaxGroupPreparedCapacity: 6, PoolState: 'Hibernated' },
    ]);
    expect(hibernation(template)).toEqual([{ Configured: true }]);
    expect(alarm(template, `warm_pool_empty-${group}`)?.Threshold).toBe(1);
    expect(scaling?.Properties.MixedInstancesPolicy).toBeUndefined();
  });

  const warnings = (props: RunnerFleetProps) => {
    const stack = new Stack(new App(), 'stack');
    new RunnerFleet(stack, 'Fleet', props);
    return Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('warm pool is off'));
  };

  it('on_demand_base_capacity: 0 gives a warning about the warm pool, unless warm_pool_max_size is 0', () => {
    expect(warnings({ ...exampleProps(), onDemandBaseCapacity: 0 })).toHaveLength(1);
    expect(warnings({ ...exampleProps(), onDemandBaseCapacity: 0, warmPoolMaxSize: 0 })).toHaveLength(0);
    expect(warnings({ ...exampleProps(), onDemandBaseCapacity: null })).toHaveLength(0);
  });

  it('the warning names the inputs as the user wrote them: keys of the file, or props', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'drover-fleet-')), 'fleet.yaml');
    writeFileSync(file, stringify({ ...keysOf(exampleProps()), on_demand_base_capacity: 0 }));
    const fromFile = RunnerFleet.readConfiguration(file);

    expect(warnings(fromFile)[0]?.entry.data).toMatch(/^on_demand_base_capacity is set.*warm_pool_max_size to 0/);
    expect(warnings({ ...fromFile })[0]?.entry.data).toMatch(/^onDemandBaseCapacity is set.*warmPoolMaxSize to 0/);
  });
});

/** Props as a file writes them. */
const keysOf = (props: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(props).map(([prop, value]) => [
      prop.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
